/**
 * Remembers which controller each cluster needs, as the last pass of this process read or wrote it. The other controllers
 * skip the cluster without a read: at rest these reads would be a fifth of all calls.
 */
import type { Clock } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { type Seat, seatOf } from './seats.ts';

export class KnownSeats {
  readonly #clock: Clock;
  readonly #ageMsMax: number;
  readonly #byCluster = new Map<string, { readonly seat: Seat; readonly atMs: number }>();

  /** What is older than `ageMsMax` is not used: the passes of the controller in charge may be failing. */
  constructor(clock: Clock, ageMsMax: number) {
    this.#clock = clock;
    this.#ageMsMax = ageMsMax;
  }

  /** Whether a cluster is known to need another controller. `key` is its namespace and name. */
  isOther(key: string, seat: Seat): boolean {
    const known = this.#byCluster.get(key);
    if (known === undefined || known.seat === seat) return false;
    return this.#clock.monotonicMs() - known.atMs <= this.#ageMsMax;
  }

  keep(key: string, cluster: EtcdCluster): void {
    this.#byCluster.set(key, { seat: seatOf(cluster), atMs: this.#clock.monotonicMs() });
  }

  /** Also before a write: its change may be observed before it returns, and must not be skipped. */
  forget(key: string): void {
    this.#byCluster.delete(key);
  }
}
