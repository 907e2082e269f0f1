/** Checks the definition of a kind, so that a mistake in it stops the program at its start with a reason. */
import { ApiError, formatFieldError } from './errors.ts';
import type { Kind } from './kind.ts';
import { checkDnsLabel, checkDnsSubdomain } from './names.ts';
import { formatPath, parsePath } from './path.ts';
import { applyDefaults } from './schema/defaults.ts';
import { schemaAt } from './schema/lookup.ts';
import type { Schema } from './schema/schema.ts';
import { validate } from './schema/validate.ts';

/** The part of a column's definition that is checked. */
type ColumnSource = { readonly name: string } & ({ readonly path: string } | { readonly value: unknown });

export function checkKind(kind: Kind, columns: readonly ColumnSource[]): void {
  const { group, version, plural, singular, shortNames, categories } = kind;
  const invalid = (reason: string) => new ApiError('Internal', { reason: `kind ${kind.kind}: ${reason}` });

  if (!/^[A-Z][A-Za-z0-9]{0,62}$/u.test(kind.kind)) throw invalid('must be one CamelCase word');
  const groupReason = group === '' ? undefined : checkDnsSubdomain(group);
  if (groupReason !== undefined) throw invalid(`group "${group}": ${groupReason}`);
  if (!/^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/u.test(version))
    throw invalid(`version "${version}": must be a version such as v1 or v1beta1`);
  for (const name of [plural, singular, ...shortNames, ...categories]) {
    const reason = checkDnsLabel(name);
    if (reason !== undefined) throw invalid(`name "${name}": ${reason}`);
  }
  const names = plural === singular ? [plural, ...shortNames] : [plural, singular, ...shortNames];
  const repeated = firstRepeated(names) ?? firstRepeated(columns.map((column) => column.name));
  if (repeated !== undefined) throw invalid(`"${repeated}" is defined twice`);

  for (const column of columns) {
    if (column.name === '') throw invalid('a column needs a name');
    if ('path' in column && fieldType(kind.schema, column.path) === undefined) {
      throw invalid(`column "${column.name}": there is no field ${column.path}`);
    }
  }
  for (const [name, path] of Object.entries(kind.scale ?? {})) {
    const expected = name === 'labelSelectorPath' ? 'string' : 'integer';
    if (fieldType(kind.schema, path) !== expected)
      throw invalid(`scale: ${name} ${path} is not a field of type ${expected}`);
  }
  for (const [name, paths] of kind.selectors) {
    if (paths.some((path) => path.length === 0 || schemaAt(kind.schema, path) === undefined)) {
      throw invalid(`selector "${name}" stands for a field that does not exist`);
    }
  }
  for (const problem of invalidDefaults(kind.schema, '')) throw invalid(problem);
}

function fieldType(schema: Schema, path: string): Schema['type'] | undefined {
  const segments = parsePath(path);
  return segments === undefined ? undefined : schemaAt(schema, segments)?.type;
}

function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Every default has to be valid once the defaults inside it are filled in. */
function* invalidDefaults(schema: Schema, path: string): Generator<string> {
  if (schema.default !== undefined) {
    const [error] = validate(schema, applyDefaults(schema, schema.default), path);
    if (error !== undefined) yield `invalid default: ${formatFieldError(error)}`;
  }
  if (schema.type === 'object') {
    for (const [name, property] of Object.entries(schema.properties))
      yield* invalidDefaults(property, formatPath(path, [name]));
  } else if (schema.type === 'list') {
    yield* invalidDefaults(schema.items, `${path}[]`);
  } else if (schema.type === 'map') {
    yield* invalidDefaults(schema.values, `${path}[]`);
  }
}
