/** Clocks of several machines, seeded random numbers, a store that can fail and a recording log, for tests of elections and managers. */
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log, LogFields, LogLevel } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { CommitOutcome, Entry, Revision, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';

/** The same passing of time, at another time of day. `step` sets it forward or back. */
export function skewed(clock: Clock, offsetMs: number): Clock & { step(byMs: number): void } {
  let offset = offsetMs;
  return {
    now: () => clock.now() + offset,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    step(byMs) {
      offset += byMs;
    },
  };
}

/** A small linear congruential generator. */
export function seeded(seed: number): Random {
  let state = seed;
  let number = 0;
  return {
    next() {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return state / 2 ** 32;
    },
    uuid: () => `00000000-0000-4000-8000-${String(seed * 1_000_000 + number++).padStart(12, '0')}`,
  };
}

/** One process's way to a shared store, which can be cut. */
export class Link {
  /** `down`: refused. `silent`: no answer, nothing done. `deaf`: done, but the answer is lost. */
  is: 'up' | 'down' | 'silent' | 'deaf' = 'up';
  readonly store: MemoryStore;

  constructor(shared: MemoryStore) {
    const pass = <T>(call: () => Promise<T>) => this.#pass(call);
    this.store = new (class extends MemoryStore {
      override get(key: string, at?: Revision): Promise<Entry | undefined> {
        return pass(() => shared.get(key, at));
      }

      override commit(writes: readonly Write[]): Promise<CommitOutcome> {
        return pass(() => shared.commit(writes));
      }
    })();
  }

  async #pass<T>(call: () => Promise<T>): Promise<T> {
    const { is } = this;
    if (is === 'silent') return new Promise(() => {});
    const failure = new ApiError('Unavailable', { what: 'the store', reason: 'the link is cut' });
    if (is === 'down') throw failure;
    const answer = await call();
    if (is === 'deaf') throw failure;
    return answer;
  }
}

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export class MemoryLog implements Log {
  readonly lines: LogLine[] = [];

  write(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields });
  }

  messages(level: LogLevel): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}
