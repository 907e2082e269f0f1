/** `explain`: documents a kind or one of its fields, from its schema. */

import { didYouMean, type Run, UsageError, wrap } from '@ecsm/command-line';
import type { Kind, Schema } from '@ecsm/runtime';
import { type Paint, paintOf } from '../../print/paint.ts';
import { findKind } from '../shared/kinds.ts';
import { knownKinds } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';

/** The default if the width of the terminal is unknown, and the maximum for readable lines. */
const columnsDefault = 80;
const columnsMax = 100;

export const run: Run = async (call) => {
  const { out } = call.terminal;
  const [word = ''] = call.words;
  const { kind, schema, path } = findField(word);
  const columns = Math.max(20, Math.min(out.columns ?? columnsDefault, columnsMax));
  const paint = paintOf(out.isColoured);
  const head = [
    `${paint.bold('KIND:')}       ${kind.kind}`,
    `${paint.bold('VERSION:')}    ${kind.apiVersion}`,
    ...(path.length === 0
      ? []
      : ['', `${paint.bold('FIELD:')} ${path.join('.')} <${typeOf(schema)}>${marksOf(schema)}`]),
    '',
    paint.bold('DESCRIPTION:'),
    wrap(descriptionOf(schema) || 'No description.', columns, 4),
    ...rulesOf(schema).map((rule) => wrap(rule, columns, 4)),
  ];
  const fields = fieldsOf(schema);
  const body =
    fields.length === 0 ? [] : ['', paint.bold('FIELDS:'), ...listed(schema, isOn(call, 'recursive'), columns, paint)];
  out.write(`${[...head, ...body].join('\n')}\n`);
};

interface Found {
  readonly kind: Kind;
  readonly schema: Schema;
  readonly path: readonly string[];
}

/** Resolves `service.spec.template.env.name`. Lists and maps are traversed, with or without `[]`. */
function findField(word: string): Found {
  const [kindWord = '', ...fields] = word.split('.');
  // `ecsmservices.ecsm.sh` is also a kind, and its group contains dots.
  const full = knownKinds.kinds.find(({ plural, singular, group }) =>
    [plural, singular].some((name) => word === `${name}.${group}` || word.startsWith(`${name}.${group}.`)),
  );
  const kind = full ?? findKind({ kinds: knownKinds }, kindWord);
  const path = (full ? fields.slice(full.group.split('.').length) : fields).map((field) =>
    field.replace(/\[\d*\]$/, ''),
  );
  let schema: Schema = kind.schema;
  for (const [index, field] of path.entries()) {
    const inside = contentOf(schema);
    const next: Schema | undefined = inside.type === 'object' ? inside.properties[field] : undefined;
    if (!next) {
      const place = [kindWord, ...path.slice(0, index)].join('.');
      const known = fieldsOf(inside).map(([name]) => name);
      const hint = known.length === 0 ? ` It is ${a(typeOf(inside))} and has no fields.` : didYouMean(field, known);
      throw new UsageError(`there is no field "${field}" in ${place}.${hint}`);
    }
    schema = next;
  }
  return { kind, schema, path };
}

/** The innermost schema of nested lists and maps. */
function contentOf(schema: Schema): Schema {
  if (schema.type === 'list') return contentOf(schema.items);
  return schema.type === 'map' ? contentOf(schema.values) : schema;
}

function fieldsOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const inside = contentOf(schema);
  return inside.type === 'object' ? Object.entries(inside.properties) : [];
}

function listed(schema: Schema, isRecursive: boolean, columns: number, paint: Paint, indent = 2): readonly string[] {
  return fieldsOf(schema)
    .flatMap(([name, field]) => {
      const line = `${' '.repeat(indent)}${paint.cyan(name)} <${typeOf(field)}>${marksOf(field)}`;
      if (isRecursive) return [line, ...listed(field, true, columns, paint, indent + 2)];
      const lines = [descriptionOf(field), ...rulesOf(field)].filter((text) => text !== '');
      return [line, ...lines.map((text) => wrap(text, columns, indent + 2)), ''];
    })
    .filter((line, index, all) => line !== '' || index < all.length - 1);
}

/** `string`, `[]object`, `map[string]string`. */
function typeOf(schema: Schema): string {
  if (schema.type === 'list') return `[]${typeOf(schema.items)}`;
  return schema.type === 'map' ? `map[string]${typeOf(schema.values)}` : schema.type;
}

function marksOf({ presence }: Schema): string {
  return presence === undefined ? ' -required-' : '';
}

function descriptionOf(schema: Schema): string {
  return schema.description ?? (schema.type === 'list' ? (schema.items.description ?? '') : '');
}

/** The constraints of a value, as sentences. */
function rulesOf(schema: Schema): readonly string[] {
  const rules: string[] = [];
  if (schema.type === 'string' && schema.enum) rules.push(`One of: ${schema.enum.join(', ')}.`);
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum, maximum } = schema;
    if (minimum !== undefined && maximum !== undefined) rules.push(`From ${minimum} to ${maximum}.`);
    else if (minimum !== undefined) rules.push(`${minimum} or more.`);
    else if (maximum !== undefined) rules.push(`${maximum} or less.`);
  }
  if (schema.type === 'string' && schema.pattern) rules.push(`It ${schema.pattern.hint}.`);
  if (schema.type === 'list' && schema.uniqueBy !== undefined) rules.push(`No two have the same ${schema.uniqueBy}.`);
  // The default of an object consists of the defaults of its fields.
  if (schema.default !== undefined && schema.type !== 'object')
    rules.push(`Default: ${JSON.stringify(schema.default)}.`);
  return rules;
}

function a(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
