/**
 * Remembers that Kubernetes refused to enlarge volumes, so that asking again does not hold up other work. Kept in memory
 * only: after a restart the operator asks once more.
 */
import type { EtcdCluster } from '../apis/etcd-cluster.ts';

/** The StorageClass may have been changed since. */
const retryMs = 600_000;

export class ResizeRefusals {
  readonly #byCluster = new Map<
    string,
    { readonly size: string | number; readonly message: string; readonly atMs: number }
  >();

  /** `key` is namespace and name of the cluster. Undefined if it may be tried, as after another change of the size. */
  find(key: string, { spec }: EtcdCluster, nowMs: number): string | undefined {
    const refusal = this.#byCluster.get(key);
    if (refusal === undefined || refusal.size !== spec.storage.size || nowMs >= refusal.atMs + retryMs)
      return undefined;
    return refusal.message;
  }

  add(key: string, { spec }: EtcdCluster, message: string, atMs: number): void {
    this.#byCluster.set(key, { size: spec.storage.size, message, atMs });
  }

  forget(key: string): void {
    this.#byCluster.delete(key);
  }
}
