/** The StatefulSet: which slots have a pod, and from which template. It decides nothing about members. */
import { StatefulSet } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { DATA_VOLUME, labels, labelsOf, names, selectorOf } from '../apis/well-known.ts';
import type { KubernetesClient } from '../client/kubernetes/client.ts';
import { metadataOf } from './cluster.ts';
import type { PodTemplate } from './template.ts';

export class StatefulSetManager {
  readonly #client: KubernetesClient;

  constructor(client: KubernetesClient) {
    this.#client = client;
  }

  find({ metadata: { name, namespace = '' } }: EtcdCluster): Promise<StatefulSet | undefined> {
    return this.#client.find(StatefulSet, namespace, names.statefulSet(name));
  }

  /** Does nothing if it exists. */
  async create(cluster: EtcdCluster, template: PodTemplate, start: number, replicas: number): Promise<void> {
    await this.#client.create(StatefulSet, render(cluster, template, start, replicas));
  }

  /** Pods get the template when they are created the next time. */
  async setTemplate(set: StatefulSet, template: PodTemplate): Promise<void> {
    await this.#client.update(StatefulSet, { ...set, spec: { ...set.spec, template } });
  }

  /** Fails with `Conflict` if the set has changed since it was read. */
  async setRange({ metadata }: StatefulSet, start: number, replicas: number): Promise<void> {
    const { name, namespace = '', uid, resourceVersion } = metadata;
    const patch = { spec: { replicas, ordinals: { start } } };
    await this.#client.patch(StatefulSet, namespace, name, patch, { uid, resourceVersion });
  }

  async delete({ metadata: { name, namespace = '', uid } }: StatefulSet): Promise<void> {
    await this.#client.delete(StatefulSet, namespace, name, uid);
  }
}

function render(
  cluster: EtcdCluster,
  template: PodTemplate,
  start: number,
  replicas: number,
): InputOf<typeof StatefulSet> {
  const { name } = cluster.metadata;
  const claim = claimSpecOf(cluster);
  return {
    metadata: metadataOf(cluster, names.statefulSet(name)),
    spec: {
      replicas,
      ordinals: { start },
      serviceName: names.peerService(name),
      // Members of a stopped cluster have to start together; none is ready before a quorum runs.
      podManagementPolicy: 'Parallel',
      // The operator restarts pods itself: it knows which member leads, and whether the others serve.
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: selectorOf(name) },
      template,
      volumeClaimTemplates: [{ ...claim, metadata: { ...claim.metadata, name: DATA_VOLUME } }],
    },
  };
}

/** The claim of a slot, up to its name. */
export function claimSpecOf(cluster: EtcdCluster) {
  const { name, uid } = cluster.metadata;
  const { storage } = cluster.spec;
  const claim = storage.volumeClaimTemplate;
  return {
    metadata: {
      labels: { ...claim?.metadata?.labels, ...labelsOf(name), [labels.clusterUid]: uid },
      ...(claim?.metadata?.annotations ? { annotations: claim.metadata.annotations } : {}),
    },
    spec: {
      ...claim?.spec,
      accessModes: claim?.spec?.accessModes ?? ['ReadWriteOnce'],
      resources: { requests: { storage: storage.size } },
      ...(storage.storageClassName === undefined ? {} : { storageClassName: storage.storageClassName }),
    },
  };
}
