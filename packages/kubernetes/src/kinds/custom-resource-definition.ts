/** The kind CustomResourceDefinition of Kubernetes. What is in its versions is checked by the server. */
import { defineKind, type InputOf, type ObjectOf, schema } from '@ecsm/runtime';
import { conditions, open, texts } from './parts.ts';

const { anything, list, map, optional, string } = schema;

export const CustomResourceDefinition = defineKind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  scope: 'Cluster',
  names: 'subdomain',
  description: 'A kind that is added to an API server.',
  spec: open(
    {
      group: string({ description: 'API group.' }),
      scope: string({ enum: ['Namespaced', 'Cluster'], description: 'Whether objects are in a namespace.' }),
      names: open(
        {
          kind: string({ description: 'Name of the kind.' }),
          listKind: optional(string({ description: 'Kind of lists.' })),
          plural: string({ description: 'Name in URLs.' }),
          singular: optional(string({ description: 'Name of one object.' })),
          shortNames: texts('Short names for command lines.'),
          categories: texts('Groups of kinds, such as all.'),
        },
        'Names of the kind.',
      ),
      versions: list(map(anything()), { description: 'Versions, each with its schema.' }),
    },
    'The kind.',
  ),
  status: open({ conditions }),
  columns: [{ name: 'CREATED AT', path: 'metadata.creationTimestamp' }],
});

export type CustomResourceDefinition = ObjectOf<typeof CustomResourceDefinition>;
export type CustomResourceDefinitionInput = InputOf<typeof CustomResourceDefinition>;
