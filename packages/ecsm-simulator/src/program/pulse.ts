/**
 * The heartbeat of the program. The platform does nothing unless somebody looks, so it is looked at every second: what
 * happens is logged when it happens. And its state is kept, if it has changed.
 */
import type { Clock, Log } from '@ecsm/runtime';
import type { Simulator } from '../http/simulator.ts';
import type { State } from '../platform/model.ts';

export interface PulseOptions {
  readonly simulator: Simulator;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps the state; may throw. */
  readonly save?: (state: State) => void;
}

const beatMs = 1_000;
/** A large state takes seconds to write; then it is kept less often, so that most of the time is left for answering. */
const restPerWork = 10;

export class Pulse {
  readonly #options: PulseOptions;
  #cancel: () => void = () => {};
  #saved = '';
  #notBeforeMs = 0;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(beatMs, () => {
      this.#options.simulator.platform.advance();
      try {
        if (this.#options.clock.monotonicMs() >= this.#notBeforeMs) this.save();
      } catch (error) {
        this.#options.log.write('error', 'the state could not be kept; trying again', { error });
      }
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** Keeps the state unless nothing can have changed since it was kept. */
  save(): void {
    const { simulator, clock, save } = this.#options;
    if (!save) return;
    const { platform, writes } = simulator;
    platform.advance();
    // A snapshot of a large platform costs more than a second may; whatever changes it is a call, or was planned.
    const version = `${writes} ${platform.nextAtMs()}`;
    if (version === this.#saved) return;
    const startedMs = clock.monotonicMs();
    save(platform.snapshot());
    this.#saved = version;
    this.#notBeforeMs = clock.monotonicMs() + restPerWork * (clock.monotonicMs() - startedMs);
  }
}
