/** A bounded queue of commits for one consumer. It ends once, with or without an error. */
import type { Commit } from '../contract.ts';
import { commitBytes } from './assembler.ts';

/**
 * What a watch may buffer for a slow consumer before it closes its stream; the message that exceeds the limit is still
 * accepted. etcd catches up in batches of 1,000 commits; with a limit below two of them, even a fast consumer would
 * reconnect after each.
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
  /** Thrown once, by the first `take` after the last commit. */
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

  /** Discards the remaining commits: the consumer has stopped, or the store is closed. */
  clear(): void {
    this.#commits.length = 0;
    this.#sizeBytes = 0;
  }

  /** Buffered commits are still delivered, then the error, if there is one. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const first = error === undefined ? undefined : this.#takers.shift();
    if (first) first.reject(error);
    else this.#error = error;
    for (const taker of this.#takers.splice(0)) taker.resolve(done);
  }
}
