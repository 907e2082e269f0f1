/** `spec.podTemplate`: what users may add to the pods of members. */
import { schema } from '@ecsm/runtime';

const { anything, integer, list, map, object, optional, string } = schema;

const freeObject = (description: string) => optional(map(anything(), { description }));
const freeObjects = (description: string) => optional(list(map(anything()), { description }));
const name = (description: string) => optional(string({ minLength: 1, maxLength: 253, description }));

export const podTemplate = object(
  {
    metadata: optional(
      object(
        {
          labels: optional(map(string(), { description: 'Further labels. Those of the operator win.' })),
          annotations: optional(map(string(), { description: 'Further annotations. Those of the operator win.' })),
        },
        { description: 'Metadata of the pods.' },
      ),
    ),
    spec: optional(
      object(
        {
          nodeSelector: optional(map(string(), { description: 'Labels that nodes have to have.' })),
          tolerations: freeObjects('Taints of nodes that the pods tolerate.'),
          affinity: freeObject('As spec.affinity; only one of them can be set.'),
          topologySpreadConstraints: freeObjects('As spec.topologySpreadConstraints; only one of them can be set.'),
          priorityClassName: name('Priority in scheduling.'),
          serviceAccountName: name('The account of the pods. etcd needs none.'),
          imagePullSecrets: optional(
            list(object({ name: string({ minLength: 1, description: 'Name of the Secret.' }) }), {
              uniqueBy: 'name',
              description: 'Credentials for the registry of the image.',
            }),
          ),
          securityContext: freeObject('User, group and further settings of the pods.'),
          terminationGracePeriodSeconds: optional(
            integer({
              minimum: 1,
              maximum: 3600,
              description: 'From the request to stop until etcd is killed. Default: 60.',
            }),
          ),
        },
        { description: 'Where and how the pods run.' },
      ),
    ),
  },
  { description: 'Additions to the pods of the members. A change restarts one member after another.' },
);
