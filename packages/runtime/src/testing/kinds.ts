/** Kinds for tests of registries, stores and controllers: defaults, rules between fields, scopes, top-level fields. */
import { conditionsSchema } from '../api/condition.ts';
import { defineFieldsKind, defineKind } from '../api/kind.ts';
import { integer, list, map, object, optional, string, withDefault } from '../api/schema/build.ts';

export const Widget = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  spec: object({
    size: withDefault(integer({ minimum: 0, maximum: 1000 }), 1),
    colour: optional(string({ enum: ['red', 'green', 'blue'] })),
    options: optional(map(string())),
    parts: optional(
      list(object({ name: string({ minLength: 1 }), weight: optional(integer()) }), { uniqueBy: 'name' }),
    ),
    note: optional(string()),
  }),
  status: object({
    phase: optional(string()),
    conditions: optional(conditionsSchema),
  }),
  validate: ({ spec }, old) => [
    ...(spec.colour === 'red' && spec.size > 100
      ? [{ path: 'spec.size', type: 'Invalid value' as const, message: '101: a red widget has at most 100' }]
      : []),
    ...(old?.spec.colour !== undefined && old.spec.colour !== spec.colour
      ? [{ path: 'spec.colour', type: 'Forbidden' as const, message: 'cannot be changed once it is set' }]
      : []),
  ],
  columns: [{ name: 'SIZE', path: 'spec.size' }],
});

/** A second kind, for owners. */
export const Crate = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Crate',
  plural: 'crates',
  spec: object({ label: optional(string()) }),
  status: object({ count: withDefault(integer(), 0), note: optional(string()) }),
  columns: [],
});

/** A cluster-scoped kind with names such as `system:edge`, and without a status. */
export const Region = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Region',
  plural: 'regions',
  scope: 'Cluster',
  names: 'path',
  spec: object({ size: optional(integer()) }),
});

/** A core kind with its content in top-level fields. */
export const Note = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  names: 'subdomain',
  fields: object({ data: optional(map(string())), final: optional(integer({ minimum: 0 })) }),
  validate: ({ final }, old) =>
    old?.final !== undefined && old.final !== final
      ? [{ path: 'final', type: 'Forbidden', message: 'cannot be changed once it is set' }]
      : [],
  columns: [{ name: 'DATA', value: ({ data = {} }) => String(Object.keys(data).length) }],
});
