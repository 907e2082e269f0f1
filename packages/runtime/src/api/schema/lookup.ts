import type { PathSegment } from '../path.ts';
import { anything } from './build.ts';
import type { Schema } from './schema.ts';

const anythingSchema = anything();

/** Returns the schema of the field at a path, or undefined if there is no such field. */
export function schemaAt(schema: Schema, segments: readonly PathSegment[]): Schema | undefined {
  let current: Schema | undefined = schema;
  for (const segment of segments) {
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
        return current;
      default:
        return undefined;
    }
  }
  return current;
}
