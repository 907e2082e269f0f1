/**
 * The longest time without a successful write. Every member gets writes of its own, so that one that does not answer
 * delays none of the others: what is measured is the cluster, not how a client retries.
 */
import type { EtcdClient, EtcdEndpoint } from '@ecsm/etcd-operator';

const intervalMs = 10;
const callTimeoutMs = 1_000;

export class Gaps {
  readonly #client: EtcdClient;
  readonly #endpoints: () => readonly EtcdEndpoint[];
  readonly #lanes = new Set<string>();
  readonly #watching: Promise<void>;
  #isStopped = false;
  #lastMs = performance.now();
  #gapMs = 0;
  #count = 0;

  constructor(client: EtcdClient, endpoints: () => readonly EtcdEndpoint[]) {
    this.#client = client;
    this.#endpoints = endpoints;
    this.#watching = this.#watch();
  }

  /** Since the last call. */
  takeMs(): number {
    const nowMs = performance.now();
    const gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs);
    this.#gapMs = 0;
    this.#lastMs = nowMs;
    return gapMs;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#watching;
    this.#client.close();
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      for (const endpoint of this.#endpoints()) {
        const key = `${endpoint.host} ${endpoint.address}`;
        if (this.#lanes.has(key)) continue;
        this.#lanes.add(key);
        void this.#write(endpoint, key);
      }
      await pause();
    }
  }

  /** Until the endpoint is gone. */
  async #write({ host, address }: EtcdEndpoint, lane: string): Promise<void> {
    for (;;) {
      const endpoint = this.#endpoints().find((one) => one.host === host && one.address === address);
      if (endpoint === undefined || this.#isStopped) break;
      try {
        await this.#client.put(endpoint, `bench/${this.#count++ % 1_000}`, 'value', { timeoutMs: callTimeoutMs });
        const nowMs = performance.now();
        this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs);
        this.#lastMs = nowMs;
      } catch {
        // The gap says it.
      }
      await pause();
    }
    this.#lanes.delete(lane);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, intervalMs));
}
