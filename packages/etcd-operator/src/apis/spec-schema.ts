/** The spec of an EtcdCluster. */
import { quantity } from '@ecsm/kubernetes';
import { schema } from '@ecsm/runtime';
import { defragmentation, etcd } from './etcd-schema.ts';
import { podTemplate } from './pod-template-schema.ts';
import { security } from './security-schema.ts';
import { storage } from './storage-schema.ts';
import { VERSION_DEFAULT, versionPattern } from './version.ts';

const { anything, boolean, integer, list, map, object, optional, string, withDefault } = schema;

/** What etcd recommends as the most. Every write needs a majority, so more members make writes slower. */
const SIZE_MAX = 9;

const RESOURCES_MAX = 16;

const quantities = (description: string) => optional(map(quantity(), { maxProperties: RESOURCES_MAX, description }));

/** Without a default for the whole: restores have it as an optional template. */
export const specObject = object(
  {
    size: withDefault(
      integer({
        minimum: 0,
        maximum: SIZE_MAX,
        description:
          'Number of members: 1, 3, 5, 7 or 9. 0 stops the cluster: its volumes are kept, and it starts again with the members that it had.',
      }),
      3,
    ),
    version: withDefault(
      string({
        maxLength: 80,
        pattern: versionPattern,
        description:
          'Version of etcd. A change upgrades one member after another; minor versions cannot be skipped, and downgrades are refused.',
      }),
      `v${VERSION_DEFAULT}`,
    ),
    repository: withDefault(
      string({
        maxLength: 255,
        pattern: {
          expression: /^[a-zA-Z0-9][a-zA-Z0-9._-]*(:[0-9]+)?(\/[a-z0-9._-]+)*$/u,
          hint: 'must be the name of an image without a tag, such as quay.io/coreos/etcd',
        },
        description: 'Image of etcd, without the tag, which is the version.',
      }),
      'quay.io/coreos/etcd',
    ),
    storage: withDefault(storage, {}),
    security: withDefault(security, {}),
    resources: optional(
      object(
        {
          requests: quantities('What is reserved for each member, such as cpu: 500m and memory: 1Gi.'),
          limits: quantities('The most that each member may use.'),
        },
        { description: 'Resources of each member.' },
      ),
    ),
    etcd: withDefault(etcd, {}),
    defragmentation: withDefault(defragmentation, {}),
    upgrade: withDefault(
      object(
        {
          allowUnknownVersion: withDefault(
            boolean({
              description:
                'Whether to upgrade to a minor version that the operator does not know. Its upgrade rules are not known either.',
            }),
            false,
          ),
        },
        { description: 'Rules of version upgrades.' },
      ),
      {},
    ),
    podTemplate: optional(podTemplate),
    affinity: optional(
      map(anything(), {
        description:
          'On which nodes, and beside which pods, members run. Default: on different nodes and zones where possible.',
      }),
    ),
    topologySpreadConstraints: optional(
      list(map(anything()), { description: 'How members are spread over zones and nodes.' }),
    ),
    clusterDomain: withDefault(
      string({
        minLength: 1,
        maxLength: 253,
        pattern: {
          expression: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u,
          hint: 'must be a DNS name, such as cluster.local',
        },
        description: 'DNS domain of the Kubernetes cluster. It is part of the names in certificates.',
      }),
      'cluster.local',
    ),
    paused: withDefault(
      boolean({
        description: 'Whether the operator only reports the status and changes nothing. Deletion still works.',
      }),
      false,
    ),
  },
  { description: 'The cluster as it should be.' },
);

export const spec = withDefault(specObject, {});
