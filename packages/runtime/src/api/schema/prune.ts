import { isPlainObject, setOwn } from '../json.ts';
import { formatPath, type PathSegment } from '../path.ts';
import type { Schema } from './schema.ts';

/** Further unknown fields are removed, but not reported. */
export const UNKNOWN_FIELDS_MAX = 100;
/** A key can be as long as a document. */
const PATH_CHARACTERS_MAX = 1_000;

export interface Pruned {
  /** The same value if it has no unknown fields. */
  readonly value: unknown;
  /** The paths of the removed fields, such as `spec.replica`. Bounded. */
  readonly unknown: readonly string[];
}

/**
 * Removes the fields that a schema does not know, as Kubernetes does unless a client asks for strict validation. Values
 * of the wrong type are left for validation to report. Recursion follows the depth of the data, which its reader bounds.
 */
export function prune(schema: Schema, value: unknown): Pruned {
  const walk: Walk = { unknown: [], path: [] };
  return { value: pruneNode(walk, schema, value), unknown: walk.unknown };
}

interface Walk {
  readonly unknown: string[];
  readonly path: PathSegment[];
}

function pruneNode(walk: Walk, schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'object':
      return isPlainObject(value) ? pruneFields(walk, value, (name) => schema.properties[name], schema.open) : value;
    case 'map':
      return isPlainObject(value) ? pruneFields(walk, value, () => schema.values) : value;
    case 'list':
      return Array.isArray(value) ? pruneItems(walk, schema.items, value) : value;
    default:
      return value;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function pruneFields(walk: Walk, value: Fields, schemaOf: (name: string) => Schema | undefined, isOpen?: true): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name];
    const schema = schemaOf(name);
    // Most values are scalars, which have no fields inside.
    if (schema === undefined ? isOpen : typeof before !== 'object') continue;
    walk.path.push(name);
    if (schema === undefined) {
      report(walk);
      copy ??= { ...value };
      delete copy[name];
    } else {
      const after = pruneNode(walk, schema, before);
      if (after !== before) {
        copy ??= { ...value };
        setOwn(copy, name, after);
      }
    }
    walk.path.pop();
  }
  return copy ?? value;
}

function pruneItems(walk: Walk, schema: Schema, value: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const before = value[index];
    walk.path.push(index);
    const after = pruneNode(walk, schema, before);
    walk.path.pop();
    if (after === before) continue;
    copy ??= [...value];
    copy[index] = after;
  }
  return copy ?? value;
}

function report({ unknown, path }: Walk): void {
  if (unknown.length < UNKNOWN_FIELDS_MAX) unknown.push(formatPath('', path).slice(0, PATH_CHARACTERS_MAX));
}
