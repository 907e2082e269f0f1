/** A kind's definition is code, so a mistake in it should stop the program at its start, with a name and a reason. */
import { ApiError, formatFieldError } from './errors.ts';
import type { Kind } from './kind.ts';
import { checkDnsLabel, checkDnsSubdomain } from './names.ts';
import { formatPath, parsePath } from './path.ts';
import { applyDefaults } from './schema/defaults.ts';
import { schemaAt } from './schema/lookup.ts';
import type { Schema } from './schema/schema.ts';
import { validate } from './schema/validate.ts';

/** The part of a column's definition that can be wrong. */
type ColumnSource = { readonly name: string } & ({ readonly path: string } | { readonly value: unknown });

export function checkKind(kind: Kind, columns: readonly ColumnSource[]): void {
  const { group, version, plural, singular, shortNames, categories } = kind;
  const wrong = (reason: string) => new ApiError('Internal', { reason: `kind ${kind.kind}: ${reason}` });

  if (!/^[A-Z][A-Za-z0-9]{0,62}$/u.test(kind.kind)) throw wrong('a kind is one CamelCase word');
  const groupReason = checkDnsSubdomain(group);
  if (groupReason !== undefined) throw wrong(`group "${group}": ${groupReason}`);
  if (!/^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/u.test(version))
    throw wrong(`version "${version}": must be such as v1 or v1beta1`);
  for (const name of [plural, singular, ...shortNames, ...categories]) {
    const reason = checkDnsLabel(name);
    if (reason !== undefined) throw wrong(`name "${name}": ${reason}`);
  }
  const names = plural === singular ? [plural, ...shortNames] : [plural, singular, ...shortNames];
  const repeated = firstRepeated(names) ?? firstRepeated(columns.map((column) => column.name));
  if (repeated !== undefined) throw wrong(`"${repeated}" is there twice`);

  for (const column of columns) {
    if (column.name === '') throw wrong('a column needs a name');
    if ('path' in column && fieldType(kind.schema, column.path) === undefined) {
      throw wrong(`column "${column.name}": there is no field ${column.path}`);
    }
  }
  for (const [name, path] of Object.entries(kind.scale ?? {})) {
    const expected = name === 'labelSelectorPath' ? 'string' : 'integer';
    if (fieldType(kind.schema, path) !== expected)
      throw wrong(`scale: ${name} ${path} is no field of type ${expected}`);
  }
  for (const problem of wrongDefaults(kind.schema, '')) throw wrong(problem);
}

function fieldType(schema: Schema, path: string): Schema['type'] | undefined {
  const segments = parsePath(path);
  return segments === undefined ? undefined : schemaAt(schema, segments)?.type;
}

function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Every default has to be valid once the defaults inside it are filled in. */
function* wrongDefaults(schema: Schema, path: string): Generator<string> {
  if (schema.default !== undefined) {
    const [error] = validate(schema, applyDefaults(schema, schema.default), path);
    if (error !== undefined) yield `a default is not valid: ${formatFieldError(error)}`;
  }
  if (schema.type === 'object') {
    for (const [name, property] of Object.entries(schema.properties))
      yield* wrongDefaults(property, formatPath(path, [name]));
  } else if (schema.type === 'list') {
    yield* wrongDefaults(schema.items, `${path}[]`);
  } else if (schema.type === 'map') {
    yield* wrongDefaults(schema.values, `${path}[]`);
  }
}
