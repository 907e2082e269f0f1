/**
 * Paged lists. The platform numbers pages, not positions; its content changes between requests, so rows move between
 * pages, and it silently reduces some page sizes. The iteration returns each row once, skips no row, and terminates.
 */
import { ApiError, type Shape, shape } from '@ecsm/runtime';
import type { RequestBuilder } from '../rest/request.ts';
import { type CallOptions, withOptions } from './call.ts';
import { type ClientLimits, checkPageNum, checkPageSize } from './limits.ts';
import { ListTime } from './list-time.ts';

export interface Page<Row> {
  readonly list: readonly Row[];
  /** Number of rows on all pages. */
  readonly total: number;
}

/** A page of a list that may have no total. */
export interface OpenPage<Row> {
  readonly list: readonly Row[];
  readonly total?: number;
}

export interface ListOptions extends CallOptions {
  /** Deadline of the list with all its pages. Default: `listDeadlineMs` of the `Ecsm`. */
  readonly deadlineMs?: number;
  /** Rows per request. Default: that of the `Ecsm`. Larger pages need fewer requests and more memory. */
  readonly pageSize?: number;
}

export interface PageSource<Row, P extends OpenPage<Row> = Page<Row>> {
  /** `GET /service` */
  readonly endpoint: string;
  /** The identity of a row. Without it, rows are not deduplicated. */
  readonly keyOf?: (row: Row) => string;
  readonly fetch: (pageNum: number, pageSize: number, options: CallOptions) => Promise<P>;
}

/** Limit for a list that never ends. */
export const pagesMax = 10_000;

/** A deleted row may move another one to a page that was already read; then the list is read once more. */
const passesMax = 2;

/** The form of nearly every list of the platform. */
export const wirePage = <Row>(row: Shape<Row>) =>
  shape.object({ list: shape.nullable(shape.list(row)), total: shape.integer() });

/** Fetches one page in the form of nearly every list of the platform. */
export async function fetchPage<Row>(
  request: RequestBuilder,
  pageNum: number,
  pageSize: number,
  options: CallOptions,
  row: Shape<Row>,
): Promise<Page<Row>> {
  const numbered = request.param('pageNum', pageNum).param('pageSize', pageSize);
  const { list, total } = await withOptions(numbered, options).do(wirePage(row));
  return { list: list ?? [], total };
}

/** Fetches one page of a source. Throws `BadRequest` for an invalid page number or size. */
export async function pageOf<Row, P extends OpenPage<Row>>(
  source: PageSource<Row, P>,
  limits: ClientLimits,
  pageNum: number,
  pageSize: number,
  options: CallOptions,
): Promise<P> {
  return source.fetch(checkPageNum(pageNum), checkPageSize(pageSize, limits), options);
}

/**
 * Iterates over all rows, each once; pages are fetched on demand. It is not a snapshot: if one row is deleted and
 * another added between requests, the total does not change, and a row that moved between pages may be missed. Throws
 * `BadAnswer` if the platform repeats a page, returns no rows although the total is not 0, or has more than `pagesMax`
 * pages, and `Timeout` after the deadline of the list. Lists that are read as one share their `time`.
 */
export function rowsOf<Row>(
  source: PageSource<Row, OpenPage<Row>>,
  limits: ClientLimits,
  options: ListOptions,
  time = new ListTime(limits, options),
): AsyncGenerator<Row, void, undefined> {
  return iterate(source, checkPageSize(options.pageSize ?? limits.pageSize, limits), time);
}

async function* iterate<Row>(
  source: PageSource<Row, OpenPage<Row>>,
  pageSize: number,
  time: ListTime,
): AsyncGenerator<Row, void, undefined> {
  const cursor = new PageCursor(source, pageSize);
  for (let pass = 1; pass <= passesMax; pass++) {
    cursor.restart();
    while (!cursor.isAtEnd) {
      yield* cursor.fresh(
        await time.page(source.endpoint, (options) => source.fetch(cursor.pageNum, cursor.pageSize, options)),
      );
    }
    if (cursor.isComplete) return;
  }
}

class PageCursor<Row> {
  readonly #source: PageSource<Row, OpenPage<Row>>;
  readonly #seen = new Set<string>();
  #returned = 0;
  #pages = 0;
  /** Number of rows read in this pass, including duplicates. */
  #position = 0;
  #total: number | undefined;
  #hasShrunk = false;
  #previous: string | undefined;
  pageSize: number;
  isAtEnd = false;

  constructor(source: PageSource<Row, OpenPage<Row>>, pageSize: number) {
    this.#source = source;
    this.pageSize = pageSize;
  }

  get pageNum(): number {
    return Math.floor(this.#position / this.pageSize) + 1;
  }

  /** Whether, according to the totals, no row was missed. */
  get isComplete(): boolean {
    if (this.#total === undefined || this.#source.keyOf === undefined) return true;
    return this.#returned >= this.#total && !this.#hasShrunk;
  }

  restart(): void {
    this.#position = 0;
    this.#previous = undefined;
    this.#hasShrunk = false;
    this.isAtEnd = false;
  }

  /** Processes a page: sets the position of the next one, and returns the rows that were not returned before. */
  fresh({ list, total }: OpenPage<Row>): Row[] {
    if (++this.#pages > pagesMax) throw this.#badResponse(`there are more than ${pagesMax} pages`);
    this.#hasShrunk ||= this.#position > 0 && (total ?? 0) < (this.#total ?? 0);
    this.#total = total;
    if (list.length === 0) {
      if (this.#position === 0 && (total ?? 0) > 0)
        throw this.#badResponse(`the first page is empty, but the total is ${total}`);
      this.isAtEnd = true;
      return [];
    }
    if (this.#isRepeated(list)) {
      if (total !== undefined) throw this.#badResponse(`page ${this.pageNum} repeats the previous page`);
      // A bare list may ignore page numbers; then it is complete.
      this.isAtEnd = true;
      return [];
    }
    this.#position = (this.pageNum - 1) * this.pageSize + list.length;
    this.isAtEnd = total !== undefined && this.#position >= total;
    // The platform may have reduced the page size, and may number pages by its size or by ours. Requesting its size
    // makes both equal; the page number is rounded down, so some rows may be received twice.
    if (!this.isAtEnd) this.pageSize = list.length;
    return list.filter((row) => this.#isNew(row));
  }

  #isRepeated(list: readonly Row[]): boolean {
    const { keyOf } = this.#source;
    const [first] = list;
    const mark = keyOf === undefined || first === undefined ? JSON.stringify(list) : keyOf(first);
    const isRepeated = mark === this.#previous;
    this.#previous = mark;
    return isRepeated;
  }

  #isNew(row: Row): boolean {
    const key = this.#source.keyOf?.(row);
    if (key !== undefined) {
      if (this.#seen.has(key)) return false;
      this.#seen.add(key);
    }
    this.#returned++;
    return true;
  }

  #badResponse(reason: string): ApiError {
    return new ApiError('BadAnswer', { what: this.#source.endpoint, reason });
  }
}

/** The rows of all lists, each row once. */
export async function* merged<Row>(
  lists: Iterable<AsyncIterable<Row>>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row, void, undefined> {
  const seen = new Set<string>();
  for (const list of lists) {
    for await (const row of list) {
      if (seen.has(keyOf(row))) continue;
      seen.add(keyOf(row));
      yield row;
    }
  }
}

export async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

/** The first row with exactly this name: the platform's filter is a fuzzy search. */
export async function findByName<Row extends { readonly name: string }>(
  rows: AsyncIterable<Row>,
  name: string,
): Promise<Row | undefined> {
  for await (const row of rows) if (row.name === name) return row;
  return undefined;
}
