/** Objects of Kubernetes' kinds for tests, and a registry that serves them. */
import { EmbeddedRegistry, type InputOf, type Kind, MemoryStore, systemClock } from '@ecsm/runtime';
import { Node } from './node.ts';
import { PersistentVolume } from './persistent-volume.ts';
import { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import { Pod } from './pod.ts';
import { PodDisruptionBudget } from './pod-disruption-budget.ts';
import { Service } from './service.ts';
import { StatefulSet } from './stateful-set.ts';
import { StorageClass } from './storage-class.ts';

export const kinds = [
  StatefulSet,
  Service,
  Pod,
  PersistentVolumeClaim,
  PersistentVolume,
  Node,
  PodDisruptionBudget,
  StorageClass,
] as const satisfies readonly Kind[];

export function embedded(): EmbeddedRegistry {
  return new EmbeddedRegistry({ store: new MemoryStore(), kinds, clock: systemClock });
}

export const set: InputOf<typeof StatefulSet> = {
  metadata: { name: 'main', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'main-peer',
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'OnDelete' },
    selector: { matchLabels: { app: 'main' } },
    template: {
      metadata: { labels: { app: 'main' } },
      spec: {
        containers: [
          {
            name: 'etcd',
            image: 'quay.io/coreos/etcd:v3.5.21',
            env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            ports: [{ name: 'client', containerPort: 2379 }],
            resources: { requests: { cpu: 1, memory: '128Mi' } },
            volumeMounts: [{ name: 'data', mountPath: '/var/lib/etcd' }],
            livenessProbe: { httpGet: { path: '/livez', port: 'client' } },
          },
        ],
        volumes: [{ name: 'config', configMap: { name: 'main-config' } }],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};
