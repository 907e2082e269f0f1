/**
 * A client that writes all the time and remembers what was acknowledged. In the end nothing of it may be missing. A write
 * without an answer may or may not have happened, and is counted as failed.
 */
import { type Clock, sleep } from '@ecsm/runtime';
import type { EtcdClient, EtcdEndpoint } from '../src/client/etcd/contract.ts';

const intervalMs = 50;
const callTimeoutMs = 2_000;

export class Writer {
  readonly #client: EtcdClient;
  readonly #endpoints: () => readonly EtcdEndpoint[];
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #acknowledged = new Set<string>();
  #failed = 0;
  #lastMs: number;
  #gapMs = 0;

  /** `prefix`: of its keys. */
  constructor(client: EtcdClient, endpoints: () => readonly EtcdEndpoint[], clock: Clock, prefix = 'test') {
    this.#prefix = prefix;
    this.#client = client;
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
    this.#running = this.#run();
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  get failed(): number {
    return this.#failed;
  }

  /** The longest time between two successful writes since the last call. */
  takeGapMs(): number {
    const gapMs = Math.max(this.#gapMs, this.#clock.monotonicMs() - this.#lastMs);
    this.#gapMs = 0;
    this.#lastMs = this.#clock.monotonicMs();
    return gapMs;
  }

  /** Stops, and returns the acknowledged writes that are not there. `reader`: for one whose certificate is not accepted. */
  async lost(reader = this.#client): Promise<readonly string[]> {
    this.#end.abort();
    await this.#running;
    const missing: string[] = [];
    for (const key of this.#acknowledged) {
      if ((await this.#read(reader, key)) !== key) missing.push(key);
    }
    this.#client.close();
    return missing;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    for (let index = 0; !signal.aborted; index++) {
      const endpoints = this.#endpoints();
      const endpoint = endpoints[index % Math.max(1, endpoints.length)];
      const key = `${this.#prefix}/${index}`;
      try {
        if (endpoint === undefined) throw new Error('no member');
        await this.#client.put(endpoint, key, key, { timeoutMs: callTimeoutMs });
        this.#acknowledged.add(key);
        const nowMs = this.#clock.monotonicMs();
        this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs);
        this.#lastMs = nowMs;
      } catch {
        this.#failed++;
      }
      await sleep(this.#clock, intervalMs, signal);
    }
  }

  async #read(reader: EtcdClient, key: string): Promise<string | undefined> {
    for (let attempt = 0; ; attempt++) {
      const endpoints = this.#endpoints();
      const endpoint = endpoints[attempt % Math.max(1, endpoints.length)];
      try {
        if (endpoint === undefined) throw new Error('no member');
        return (await reader.get(endpoint, key, { timeoutMs: callTimeoutMs }))?.value;
      } catch (error) {
        if (attempt > 20) throw error;
        await sleep(this.#clock, 200);
      }
    }
  }
}
