/** Commits on their way to one consumer: bounded, and ended once, quietly or with an error. */
import type { Commit } from '../contract.ts';
import { commitBytes } from './assembler.ts';

/**
 * What a watch may hold for a slow consumer before it lets go of its stream; the message that goes over the limit is
 * still taken whole. etcd catches up in batches of 1,000
 * commits; a limit below two of them would make a prompt consumer reconnect after each.
 */
export const mailboxCommitsMax = 2_000;
export const mailboxBytesMax = 8 * 1024 * 1024;

interface Taker {
  readonly resolve: (result: IteratorResult<Commit, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const done: IteratorResult<Commit, undefined> = { done: true, value: undefined };

export class Mailbox {
  readonly #commits: Commit[] = [];
  readonly #takers: Taker[] = [];
  #sizeBytes = 0;
  #ended = false;
  /** Thrown once, to the first who takes after the last commit. */
  #error: unknown;

  get empty(): boolean {
    return this.#commits.length === 0;
  }

  get full(): boolean {
    return this.#commits.length >= mailboxCommitsMax || this.#sizeBytes >= mailboxBytesMax;
  }

  put(commit: Commit): void {
    const taker = this.#takers.shift();
    if (taker) {
      taker.resolve({ done: false, value: commit });
      return;
    }
    this.#commits.push(commit);
    this.#sizeBytes += commitBytes(commit);
  }

  take(): Promise<IteratorResult<Commit, undefined>> {
    const commit = this.#commits.shift();
    if (commit) {
      this.#sizeBytes -= commitBytes(commit);
      return Promise.resolve({ done: false, value: commit });
    }
    if (!this.#ended) return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
    const error = this.#error;
    this.#error = undefined;
    return error === undefined ? Promise.resolve(done) : Promise.reject(error);
  }

  /** Throws away what is left: its consumer has gone, or the store is closed. */
  clear(): void {
    this.#commits.length = 0;
    this.#sizeBytes = 0;
  }

  /** What is in the box is still delivered, then the error, if there is one, then nothing more. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const first = error === undefined ? undefined : this.#takers.shift();
    if (first) first.reject(error);
    else this.#error = error;
    for (const taker of this.#takers.splice(0)) taker.resolve(done);
  }
}
