/**
 * What a command that writes tells: one line an object as soon as it is done, or the objects in the format of `-o` in the
 * end; and what did not work, which keeps no other object from its turn.
 */

import { type Call, Failure, Interrupted, plural, visible } from '@ecsm/command-line';
import { type ApiError, isApiError } from '@ecsm/runtime';
import type { Format } from '../../print/formats.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { formatOf, printObjects } from '../shared/printing.ts';
import type { Item } from '../shared/targets.ts';
import { dryRunMark } from './dry-run.ts';

export class Report {
  readonly #call: Call;
  /** `applied`. */
  readonly #past: string;
  readonly #format: Format;
  readonly #hasLines: boolean;
  readonly #mark: string;
  readonly #items: Item[] = [];
  #count = 0;
  #failures = 0;

  /** Throws `UsageError` for an `-o` that makes no sense: before anything is done. */
  constructor(call: Call, past: string) {
    this.#call = call;
    this.#past = past;
    this.#format = formatOf(call);
    this.#hasLines = call.origin('output') === undefined;
    this.#mark = dryRunMark(call);
  }

  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /**
   * Each in turn. An error of the catalogue is told and counted; one of the store ends it, because it would meet the
   * others, too. An interruption ends it between two of them.
   */
  async each<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
    const { err, signal } = this.#call.terminal;
    for (const [index, thing] of things.entries()) {
      // Who only stops reading (`| head`) has not asked for half of the work.
      if (signal.aborted && signal.reason instanceof Interrupted) {
        err.write(
          `interrupted: ${index} of ${plural(things.length, 'object')} ${index === 1 ? 'was' : 'were'} ${this.#past}\n`,
        );
        throw signal.reason;
      }
      this.#count++;
      try {
        await work(thing);
      } catch (error) {
        if (!isOfOneObject(error) || (things.length === 1 && this.#count === 1)) throw error;
        this.#failures++;
        err.write(`ecsmctl: ${visible(error.message)}\n`);
      }
    }
  }

  /** `ecsmservice/telemetry configured`. */
  done(item: Item, what: string): void {
    this.#items.push(item);
    if (this.#hasLines) this.say(item, what);
  }

  /** The line alone, of what `-o` does not show. Where it would disturb what `-o` prints, it is talk. */
  say({ kind, object }: Item, what: string): void {
    const { out, err } = this.#call.terminal;
    (this.#hasLines ? out : err).write(`${shortNameOf(kind, object.metadata.name)} ${what}${this.#mark}\n`);
  }

  /** What `-o` asks for. */
  async print(): Promise<void> {
    if (this.#hasLines || this.#items.length === 0) return;
    await printObjects(this.#call, this.#items, { format: this.#format, single: this.#count === 1 });
  }

  /** Throws `Failure` if anything did not work. */
  end(): void {
    if (!this.hasFailed) return;
    throw new Failure(`${this.#failures} of ${plural(this.#count, 'object')} could not be ${this.#past}`);
  }
}

const storeTroubles: readonly string[] = ['Unavailable', 'Timeout', 'StorageFull', 'ReadOnly', 'Closed', 'Internal'];

function isOfOneObject(error: unknown): error is ApiError | Failure {
  if (error instanceof Failure) return true;
  return isApiError(error) && !storeTroubles.includes(error.code);
}
