/**
 * The periodic work of the program. The platform has no timers, so it is advanced every second, which also logs its
 * events in time; its state is saved if it has changed.
 */
import type { Clock, Log } from '@ecsm/runtime';
import type { Simulator } from '../http/simulator.ts';
import type { State } from '../platform/model.ts';

interface TickerOptions {
  readonly simulator: Simulator;
  readonly clock: Clock;
  readonly log: Log;
  /** Saves the state; may throw. */
  readonly save?: (state: State) => void;
}

const tickMs = 1_000;
/** A large state takes seconds to write; it is saved less often, so that most of the time is left for calls. */
const idlePerSave = 10;

export class Ticker {
  readonly #options: TickerOptions;
  #cancel: () => void = () => {};
  #saved = '';
  #notBeforeMs = 0;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(tickMs, () => {
      this.#options.simulator.platform.advance();
      try {
        if (this.#options.clock.monotonicMs() >= this.#notBeforeMs) this.save();
      } catch (error) {
        this.#options.log.write('error', 'saving the state failed; retrying', { error });
      }
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** Saves the state, unless nothing can have changed since the last time. */
  save(): void {
    const { simulator, clock, save } = this.#options;
    if (!save) return;
    const { platform, writes } = simulator;
    platform.advance();
    // Comparing snapshots would be slow. The state changes only by calls and by scheduled events.
    const version = `${writes} ${platform.nextAtMs()}`;
    if (version === this.#saved) return;
    const startedMs = clock.monotonicMs();
    save(platform.snapshot());
    this.#saved = version;
    this.#notBeforeMs = clock.monotonicMs() + idlePerSave * (clock.monotonicMs() - startedMs);
  }
}
