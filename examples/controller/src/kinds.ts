/** The kinds: a `Database`, which users write, and its `Connection`, which programs read. */
import { conditionsSchema, defineKind, Event, type ObjectOf, schema } from '@ecsm/runtime';

const { integer, object, optional, string } = schema;

export const Database = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  description: 'A database on the server.',
  spec: object({ sizeGB: integer({ minimum: 1, description: 'Disk space, in GB.' }) }),
  status: object({ conditions: optional(conditionsSchema) }),
  columns: [{ name: 'SIZE', path: 'spec.sizeGB' }],
});
export type Database = ObjectOf<typeof Database>;

export const Connection = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Connection',
  plural: 'connections',
  description: 'How to reach a database. Owned by it, and deleted with it.',
  spec: object({ url: string({ description: 'The address of the database.' }) }),
});

/** All kinds that the registry is opened with. */
export const kinds = [Database, Connection, Event];
