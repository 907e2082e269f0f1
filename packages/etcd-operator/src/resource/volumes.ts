/** The volume claims. The StatefulSet creates them; only the operator deletes them. */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { labels, names } from '../apis/well-known.ts';
import type { KubernetesClient } from '../client/kubernetes/client.ts';

export class PVCManager {
  readonly #client: KubernetesClient;

  constructor(client: KubernetesClient) {
    this.#client = client;
  }

  /** All of this name, also those of an earlier cluster. */
  list({ metadata: { name, namespace = '' } }: EtcdCluster): Promise<readonly PersistentVolumeClaim[]> {
    return this.#client.list(PersistentVolumeClaim, namespace, `${labels.cluster}=${name}`);
  }

  async delete({ metadata: { name, namespace = '' } }: EtcdCluster, slot: number, uid: string): Promise<void> {
    await this.#client.delete(PersistentVolumeClaim, namespace, names.claim(name, slot), uid);
  }

  /** Fails with `Forbidden` or `Invalid` if the StorageClass does not allow it. */
  async enlarge(cluster: EtcdCluster, slot: number, uid: string): Promise<void> {
    const { name, namespace = '' } = cluster.metadata;
    const patch = { spec: { resources: { requests: { storage: cluster.spec.storage.size } } } };
    await this.#client.patch(PersistentVolumeClaim, namespace, names.claim(name, slot), patch, { uid });
  }

  listPods({ metadata: { name, namespace = '' } }: EtcdCluster): Promise<readonly Pod[]> {
    return this.#client.list(Pod, namespace, `${labels.cluster}=${name}`);
  }

  async deletePod({ metadata: { name, namespace = '' } }: EtcdCluster, slot: number, uid: string): Promise<void> {
    await this.#client.delete(Pod, namespace, names.pod(name, slot), uid);
  }
}
