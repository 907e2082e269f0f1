/**
 * What the caller of a repeated list has read before: an ETag and the keys of each page, and a hash of each row. It holds
 * no rows. A page that has not changed is not transferred again if the platform supports `If-None-Match`, and a row that
 * has not changed is not parsed again.
 */
import type { Clock } from '@ecsm/runtime';

/** A row that has the same bytes as in the last complete list has a key only. */
export interface ListedRow<Row> {
  readonly key: string;
  readonly row?: Row;
}

interface KnownPage {
  readonly tag: string | undefined;
  readonly keys: readonly string[];
  /** Of the rows, in the same order. Empty if they are not known. */
  readonly hashes: readonly number[];
  readonly total: number;
  /** When it was last transferred. */
  readonly readMs: number;
}

/** A page is transferred at least once in this time, in case that its tag does not change with its content. */
const trustedMs = 3_600_000;
/** How long tags are not sent after the platform ignored one. */
const notOfferedMs = 3_600_000;
/** An ETag that can be sent back: printable, and not longer than some rows. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x7e]{1,128}"$/;

export class ListMemory {
  readonly #clock: Clock;
  #pages = new Map<string, KnownPage>();
  #nextPages = new Map<string, KnownPage>();
  #keysByHash = new Map<number, string>();
  #isNeeded: (key: string) => boolean = () => false;
  #tagsFromMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a list. Rows with a needed key are returned even if they have not changed. */
  start(isNeeded: (key: string) => boolean): void {
    this.#isNeeded = isNeeded;
    this.#nextPages = new Map();
  }

  /** The list is complete: what it returned is what the next one is compared with. */
  finish(): void {
    this.#pages = this.#nextPages;
    this.#keysByHash.clear();
    for (const { keys, hashes } of this.#pages.values()) {
      for (const [index, hash] of hashes.entries()) this.#keysByHash.set(hash, keys[index] ?? '');
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#nextPages.clear();
    this.#keysByHash.clear();
  }

  /** The key of a row with this hash, if the caller does not need the row. */
  keyOf(hash: number): string | undefined {
    const key = this.#keysByHash.get(hash);
    return key === undefined || this.#isNeeded(key) ? undefined : key;
  }

  /** A page whose tag may be sent. */
  taggedPage(page: string): (KnownPage & { readonly tag: string }) | undefined {
    const known = this.#pages.get(page);
    const nowMs = this.#clock.monotonicMs();
    if (known?.tag === undefined || nowMs < this.#tagsFromMs || nowMs - known.readMs >= trustedMs) return undefined;
    return known.keys.some(this.#isNeeded) ? undefined : { ...known, tag: known.tag };
  }

  /** The platform reported that the page has not changed. */
  unchanged(page: string, known: KnownPage): void {
    this.#nextPages.set(page, known);
  }

  /** The page was transferred. `sent`: the tag that was sent. */
  received(page: string, content: Pick<KnownPage, 'keys' | 'hashes' | 'total'>, tag?: string, sent?: string): void {
    const nowMs = this.#clock.monotonicMs();
    if (sent !== undefined && sent === tag) this.#tagsFromMs = nowMs + notOfferedMs;
    const usable = tag !== undefined && tagPattern.test(tag) ? tag : undefined;
    this.#nextPages.set(page, { ...content, tag: usable, readMs: nowMs });
  }
}
