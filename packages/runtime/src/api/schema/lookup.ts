import type { PathSegment } from '../path.ts';
import { anything } from './build.ts';
import type { Schema } from './schema.ts';

const anythingSchema = anything();

const marked = new WeakMap<Schema, boolean>();

/** Whether a schema marks a secret, itself or below. */
export function hasSecrets(schema: Schema): boolean {
  let found = marked.get(schema);
  if (found === undefined) {
    found = schema.secret === true || partsOf(schema).some(hasSecrets);
    marked.set(schema, found);
  }
  return found;
}

function partsOf(schema: Schema): readonly Schema[] {
  if (schema.type === 'object') return Object.values(schema.properties);
  if (schema.type === 'list') return [schema.items];
  if (schema.type === 'map') return [schema.values];
  return schema.type === 'anything' && schema.like ? [schema.like] : [];
}

/** Returns the schema of the field at a path, or undefined if there is no such field. */
export function schemaAt(schema: Schema, segments: readonly PathSegment[]): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const [depth, segment] of segments.entries()) {
    if (current === undefined) return undefined;
    switch (current.type) {
      case 'object':
        current = current.properties[segment] ?? (current.open ? anythingSchema : undefined);
        break;
      case 'map':
        current = typeof segment === 'string' ? current.values : undefined;
        break;
      case 'list':
        current = typeof segment === 'number' ? current.items : undefined;
        break;
      case 'anything':
        return current.like === undefined ? current : (schemaAt(current.like, segments.slice(depth)) ?? anythingSchema);
      default:
        return undefined;
    }
  }
  return current;
}
