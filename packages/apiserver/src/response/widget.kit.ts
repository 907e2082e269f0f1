/** A kind and an object of it, for the tests of this package. */
import { type ApiObject, defineKind, schema } from '@ecsm/runtime';

const { integer, list, map, object, optional, string, withDefault } = schema;

export const Widget = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  categories: ['all'],
  description: 'A thing to test with.',
  spec: object(
    {
      replicas: withDefault(integer({ minimum: 0, maximum: 100, description: 'Number of instances.' }), 1),
      image: string({ minLength: 1, description: 'What to run.' }),
      ports: optional(list(object({ name: string(), port: integer() }), { uniqueBy: 'name' })),
      tags: optional(list(string(), { uniqueItems: true })),
      limits: optional(map(string(), { maxProperties: 4 })),
    },
    { description: 'Desired state.' },
  ),
  status: object({ replicas: integer({ minimum: 0 }), seenAt: optional(string()) }, { description: 'Observed state.' }),
  columns: [
    { name: 'UP-TO-DATE', path: 'status.replicas' },
    { name: 'LAST SEEN', path: 'status.seenAt' },
    { name: 'IMAGE', path: 'spec.image', wide: true },
  ],
  scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' },
});

export function widgetNamed(name: string): ApiObject<unknown, unknown> {
  return {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-02T03:00:00Z',
    },
    spec: { replicas: 2, image: 'web@1' },
    status: { replicas: 1, seenAt: '2026-01-02T03:04:00Z' },
  };
}
