/** The PodDisruptionBudget: a drain never takes the quorum. */
import type { PodDisruptionBudget } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { names, selectorOf } from '../apis/well-known.ts';
import { metadataOf } from './cluster.ts';

export class PodDisruptionBudgetManager {
  /** A number, not `maxUnavailable`: that would count from a smaller base while members are being removed. */
  render(cluster: EtcdCluster, minAvailable: number): InputOf<typeof PodDisruptionBudget> {
    const { name } = cluster.metadata;
    return {
      metadata: metadataOf(cluster, names.disruptionBudget(name)),
      spec: { minAvailable, selector: { matchLabels: selectorOf(name) } },
    };
  }
}
