/** Enqueues all keys after a long outage of the platform, and the waiting keys when the platform responds again. */
import type { CircuitBreaker } from '@ecsm/client';
import type { Clock, Log } from '@ecsm/runtime';

interface OutageOptions {
  readonly breaker: CircuitBreaker;
  readonly clock: Clock;
  readonly log: Log;
  /** A shorter outage is not written into the status of every service. */
  readonly outageMs: number;
  /** Keys of all services. */
  readonly keys: () => Promise<readonly string[]>;
  readonly enqueue: (key: string, options: { readonly reason: string; readonly priority?: number }) => void;
}

/** Writing the outage into statuses has the lowest priority. */
const outagePriority = -10;

export class Outage {
  readonly #options: OutageOptions;
  readonly #waiting = new Set<string>();

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The key is enqueued when the link is back. */
  wait(key: string): void {
    this.#waiting.add(key);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Runs the circuit breaker until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { breaker, clock, log, outageMs } = this.#options;
    let cancel = () => {};
    const stop = breaker.onChange((state) => {
      cancel();
      if (state === 'reachable') this.#release();
      if (state !== 'unreachable') return;
      log.write('warn', 'the platform is unreachable', { reason: breaker.reason });
      cancel = clock.after(outageMs, () => {
        this.#enqueueAll().catch((error: unknown) =>
          log.write('warn', 'the services could not be enqueued after an outage', { error: String(error) }),
        );
      });
    });
    try {
      await breaker.run(signal);
    } finally {
      stop();
      cancel();
    }
  }

  #release(): void {
    const keys = [...this.#waiting];
    const reason = 'the platform responds again';
    if (keys.length > 0) this.#options.log.write('info', reason, { waiting: keys.length });
    this.#waiting.clear();
    for (const key of keys) this.#options.enqueue(key, { reason });
  }

  async #enqueueAll(): Promise<void> {
    const reason = 'the platform is unreachable';
    for (const key of await this.#options.keys()) this.#options.enqueue(key, { reason, priority: outagePriority });
  }
}
