/** A kind for the tests of this folder, with the shapes that real kinds have. */
import { conditionsSchema } from './condition.ts';
import type { FieldError } from './errors.ts';
import { defineKind } from './kind.ts';
import { anything, boolean, integer, list, map, object, optional, string, withDefault } from './schema/build.ts';

const template = object(
  {
    image: string({ pattern: { expression: /^[a-z0-9._/-]+@[\w.-]+$/u, hint: 'must be name@tag' }, maxLength: 200 }),
    command: optional(list(string(), { minItems: 1 })),
    env: optional(
      list(object({ name: string({ minLength: 1 }), value: withDefault(string(), '') }), { uniqueBy: 'name' }),
    ),
    limits: optional(map(string({ pattern: { expression: /^\d+(Ki|Mi|Gi)?$/u, hint: 'must be a quantity' } }))),
    password: optional(string({ minLength: 8, secret: true })),
    health: optional(object({ path: string(), periodSeconds: withDefault(integer({ minimum: 1, maximum: 3600 }), 5) })),
    platform: optional(anything()),
  },
  { description: 'What every instance looks like.' },
);

export const Widget = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  categories: ['all'],
  description: 'A thing to test with.',
  spec: object({
    type: string({ enum: ['Dynamic', 'Static'], description: 'How instances find their nodes.' }),
    replicas: optional(integer({ minimum: 0, maximum: 1000 })),
    nodePool: optional(list(string(), { uniqueItems: true, maxItems: 4 })),
    paused: withDefault(boolean(), false),
    update: withDefault(object({ type: withDefault(string({ enum: ['InPlace', 'Rolling'] }), 'InPlace') }), {}),
    template,
  }),
  status: object({ replicas: integer({ minimum: 0 }), conditions: optional(conditionsSchema) }),
  validate: ({ spec }, old): FieldError[] => {
    if (spec.type === 'Dynamic' && spec.replicas === undefined) {
      return [{ path: 'spec.replicas', type: 'Required value', message: 'must be set when type is Dynamic' }];
    }
    if (old !== undefined && old.spec.type !== spec.type) {
      return [{ path: 'spec.type', type: 'Forbidden', message: 'may not change' }];
    }
    return [];
  },
  columns: [
    { name: 'TYPE', path: 'spec.type' },
    { name: 'READY', value: ({ spec, status }) => `${status?.replicas ?? 0}/${spec.replicas ?? '-'}` },
    { name: 'IMAGE', path: 'spec.template.image', wide: true },
  ],
  scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' },
});

/** A valid object, without the fields that the registry sets. */
export const widget = {
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  metadata: { name: 'telemetry', namespace: 'default', labels: { app: 'telemetry' } },
  spec: {
    type: 'Dynamic',
    replicas: 3,
    nodePool: ['sat-1', 'sat-2'],
    paused: false,
    update: { type: 'InPlace' },
    template: { image: 'telemetry@1.2.0', env: [{ name: 'RATE', value: '10' }] },
  },
} as const;
