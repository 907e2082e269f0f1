/** What a pod runs: the spec of a Pod, and of the template of a StatefulSet. */
import { schema } from '@ecsm/runtime';
import { container, nodeSelector, volume } from './container.ts';
import { count, flag, open, templateMetadata, text } from './parts.ts';

const { anything, integer, list, optional, string, withDefault } = schema;

export const podSpec = open(
  {
    containers: list(container, { minItems: 1, uniqueBy: 'name', description: 'Containers, started together.' }),
    initContainers: optional(
      list(container, { uniqueBy: 'name', description: 'Containers that run to completion before the others start.' }),
    ),
    volumes: optional(list(volume, { uniqueBy: 'name', description: 'Volumes that containers can mount.' })),
    restartPolicy: withDefault(
      string({ enum: ['Always', 'OnFailure', 'Never'], description: 'When a container is started again.' }),
      'Always',
    ),
    terminationGracePeriodSeconds: withDefault(
      integer({ minimum: 0, description: 'From the request to stop until the container is killed.' }),
      30,
    ),
    activeDeadlineSeconds: count('How long the pod may run.'),
    nodeName: text('The node that the pod is on. Set by the scheduler.'),
    nodeSelector,
    affinity: optional(anything({ description: 'On which nodes, and beside which pods.' })),
    tolerations: optional(anything({ description: 'Taints of nodes that the pod tolerates.' })),
    topologySpreadConstraints: optional(anything({ description: 'How pods are spread over zones and nodes.' })),
    priorityClassName: text('Priority in scheduling.'),
    schedulerName: text('The scheduler that assigns the node.'),
    hostname: text('Host name of the pod. Default: its name.'),
    subdomain: text('The headless Service whose domain the host name is in.'),
    hostNetwork: flag('Whether it uses the network of the node.'),
    dnsPolicy: text('Which name servers the pod uses.'),
    serviceAccountName: text('The account that the pod authenticates as.'),
    automountServiceAccountToken: flag('Whether containers get the credentials of the account.'),
    enableServiceLinks: flag('Whether there are environment variables for Services.'),
    imagePullSecrets: optional(
      list(open({ name: string({ description: 'Name of the Secret.' }) }), {
        uniqueBy: 'name',
        description: 'Credentials for the registries of images.',
      }),
    ),
    securityContext: optional(anything({ description: 'User, group and further settings of all containers.' })),
  },
  'What the pod runs, and where.',
);

export const podTemplate = open({ metadata: optional(templateMetadata), spec: podSpec }, 'The pods that are created.');
