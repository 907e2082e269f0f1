/**
 * The output of commands that write: one line per object as soon as it is done, or all objects in the format of `-o` at
 * the end. An error of one object does not stop the others.
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

  /** Throws `UsageError` for an invalid `-o`, before anything is done. */
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
   * Runs the work for one object after the other, and returns the results. An `ApiError` is printed and counted; an error of the store is thrown,
   * because it affects all objects. An interruption is thrown between two objects.
   */
  async each<T, R>(things: readonly T[], work: (thing: T) => Promise<R>): Promise<readonly R[]> {
    const { err, signal } = this.#call.terminal;
    const results: R[] = [];
    for (const [index, thing] of things.entries()) {
      // A closed output (`| head`) is not a request to stop writing.
      if (signal.aborted && signal.reason instanceof Interrupted) {
        err.write(
          `interrupted: ${index} of ${plural(things.length, 'object')} ${index === 1 ? 'was' : 'were'} ${this.#past}\n`,
        );
        throw signal.reason;
      }
      this.#count++;
      try {
        results.push(await work(thing));
      } catch (error) {
        if (!isObjectError(error) || (things.length === 1 && this.#count === 1)) throw error;
        this.#failures++;
        err.write(`ecsmctl: ${visible(error.message)}\n`);
      }
    }
    return results;
  }

  /** `ecsmservice/telemetry configured`. */
  done(item: Item, what: string): void {
    this.#items.push(item);
    if (this.#hasLines) this.writeLine(item, what);
  }

  /** A line for an object that `-o` does not print. With `-o` it goes to standard error. */
  writeLine({ kind, object }: Item, what: string): void {
    const { out, err } = this.#call.terminal;
    (this.#hasLines ? out : err).write(`${shortNameOf(kind, object.metadata.name)} ${what}${this.#mark}\n`);
  }

  /** Prints the objects in the format of `-o`. */
  async print(): Promise<void> {
    if (this.#hasLines || this.#items.length === 0) return;
    await printObjects(this.#call, this.#items, { format: this.#format, single: this.#count === 1 });
  }

  /** Throws `Failure` if any object failed. */
  end(): void {
    if (!this.hasFailed) return;
    throw new Failure(`${this.#failures} of ${plural(this.#count, 'object')} could not be ${this.#past}`);
  }
}

const storeErrors: readonly string[] = ['Unavailable', 'Timeout', 'StorageFull', 'ReadOnly', 'Closed', 'Internal'];

function isObjectError(error: unknown): error is ApiError | Failure {
  if (error instanceof Failure) return true;
  return isApiError(error) && !storeErrors.includes(error.code);
}
