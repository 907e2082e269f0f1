/**
 * Remembers what was read from the Secrets of clusters at rest: they are half of what a pass reads, and change once in
 * months. A pass that finds something to do with them reads them again before it decides.
 */
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import type { SecurityObserved } from '../service/security/security.ts';

/**
 * Passes that use what was read once. A change of the Secrets is watched; at the default interval they are read every five
 * minutes nevertheless.
 */
export const usesMax = 9;

interface Known {
  readonly uid: string;
  /** Of the spec, which says what is read and for which names certificates have to be. */
  readonly generation: number;
  readonly read: SecurityObserved;
  uses: number;
}

export class KnownCertificates {
  readonly #byCluster = new Map<string, Known>();

  /** `key` is namespace and name of the cluster. Undefined if they have to be read. */
  use(key: string, { metadata }: EtcdCluster): SecurityObserved | undefined {
    const known = this.#byCluster.get(key);
    if (known === undefined || known.uid !== metadata.uid || known.generation !== metadata.generation) return undefined;
    if (known.uses >= usesMax) return undefined;
    known.uses++;
    return known.read;
  }

  /** After a pass that has read them and found nothing to do. */
  keep(key: string, { metadata }: EtcdCluster, read: SecurityObserved): void {
    this.#byCluster.set(key, { uid: metadata.uid, generation: metadata.generation, read, uses: 0 });
  }

  forget(key: string): void {
    this.#byCluster.delete(key);
  }
}
