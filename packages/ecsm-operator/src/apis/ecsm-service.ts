/**
 * ECSMService: the desired state of a service on the platform: template, placement and update strategy. Its fields are
 * defined once, here and in the schemas of this folder.
 */
import { defineKind, type InputOf, type ObjectOf, schema } from '@ecsm/runtime';
import { dependsOn } from './dependency-schema.ts';
import { readyText, restartsText, statusText, strategyText, waitsForText } from './service-columns.ts';
import { checkService } from './service-rules.ts';
import { status } from './status-schema.ts';
import { deploymentStrategy, updateStrategy, upgradeStrategy } from './strategy-schemas.ts';
import { template } from './template-schema.ts';

const { boolean, integer, object, optional, string, withDefault } = schema;

export const ECSMService = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'ECSMService',
  plural: 'ecsmservices',
  // The last two are for kubectl, which does not find a plural by its end, as ecsmctl does.
  shortNames: ['svc', 'es', 'ecsm', 'services', 'service'],
  categories: ['all'],
  description: 'A service on the ECSM platform: template, placement and update strategy.',
  spec: object({
    deploymentStrategy,
    upgradeStrategy: withDefault(upgradeStrategy, {}),
    updateStrategy: withDefault(updateStrategy, {}),
    paused: withDefault(
      boolean({ description: 'Whether changes of the template are held back. Scaling and healing continue.' }),
      false,
    ),
    revisionHistoryLimit: withDefault(
      integer({ minimum: 0, maximum: 1000, description: 'Number of old revisions to keep.' }),
      10,
    ),
    dependsOn: optional(dependsOn),
    priorityClassName: optional(
      string({
        minLength: 1,
        maxLength: 253,
        description: 'Name of a PriorityClass. If nodes are full, services of lower priority give up instances.',
      }),
    ),
    template,
  }),
  status,
  validate: checkService,
  columns: [
    { name: 'READY', value: readyText },
    { name: 'STATUS', value: statusText },
    { name: 'RESTARTS', value: restartsText },
    { name: 'UP-TO-DATE', path: 'status.updatedReplicas' },
    { name: 'STRATEGY', value: strategyText },
    { name: 'IMAGE', path: 'spec.template.image' },
    { name: 'WAITS-FOR', wide: true, sparse: true, value: waitsForText },
    { name: 'UPDATE', wide: true, path: 'spec.updateStrategy.type' },
    { name: 'PRIORITY', wide: true, path: 'spec.priorityClassName' },
    { name: 'REVISION', wide: true, path: 'status.currentRevision' },
    { name: 'SERVICE-ID', wide: true, path: 'status.underlyingServiceID' },
  ],
  scale: {
    specReplicasPath: 'spec.deploymentStrategy.replicas',
    statusReplicasPath: 'status.replicas',
  },
});

export type ECSMService = ObjectOf<typeof ECSMService>;
export type ECSMServiceInput = InputOf<typeof ECSMService>;
export type ServiceSpec = ECSMService['spec'];
export type ServiceStatus = NonNullable<ECSMService['status']>;
export type ServiceTemplate = ServiceSpec['template'];
