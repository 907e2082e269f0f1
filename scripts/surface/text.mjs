/** How the surface is written: sections, lines, and data as YAML, all of them sorted. */
import { stringify } from 'yaml';

/** @param {Readonly<Record<string, string>>} parts the text below each heading */
export function sections(parts) {
  return Object.entries(parts)
    .map(([heading, text]) => `=== ${heading}\n${text}`)
    .join('\n');
}

export function lines(all) {
  return [...all]
    .sort()
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** One line for each row, without spaces that align columns: a longer cell would change every line. */
export function rows(all) {
  return lines(all.map((cells) => cells.join(' | ')));
}

/** No part refers to another one, such as the schema of a list to that of its items. */
export function yaml(value) {
  return stringify(value, { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 });
}

/** One line for each field below a JSON Schema: its path, and the rest of its schema. */
export function fieldLines({ properties, items, additionalProperties: values, ...rest }, path = '') {
  const isSchema = (value) => typeof value === 'object' && value !== null;
  const own = isSchema(values) || values === undefined ? rest : { ...rest, additionalProperties: values };
  const line = `${path} ${JSON.stringify(own)}`;
  return [
    line,
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => fieldLines(field, `${path}.${name}`)),
    ...(isSchema(items) ? fieldLines(items, `${path}[]`) : []),
    ...(isSchema(values) ? fieldLines(values, `${path}{}`) : []),
  ];
}
