/**
 * Lists that come in pages. The platform counts pages, not positions, and goes on living while it is read, so rows move
 * between pages, and some page sizes are cut without a word. The walk keeps to three rules: a row is given once, no row
 * is stepped over, and it ends.
 */
import { ApiError, type Shape, shape } from '@ecsm/runtime';
import type { RequestBuilder } from '../rest/request.ts';
import { type CallOptions, within } from './call.ts';
import { type ClientLimits, checkPageNum, checkPageSize } from './limits.ts';
import { ListTime } from './list-time.ts';

export interface Page<Row> {
  readonly list: readonly Row[];
  /** Rows on all pages together. */
  readonly total: number;
}

/** A page of a list of which the platform may not tell how long it is. */
export interface OpenPage<Row> {
  readonly list: readonly Row[];
  readonly total?: number;
}

export interface ListOptions extends CallOptions {
  /** For the whole list, with all its pages. Default: `listDeadlineMs` of the `Ecsm`. */
  readonly deadlineMs?: number;
  /** Rows in one request. Default: that of the `Ecsm`. Larger ones cost fewer requests and more memory at a time. */
  readonly pageSize?: number;
}

export interface PageSource<Row, P extends OpenPage<Row> = Page<Row>> {
  /** `GET /service` */
  readonly endpoint: string;
  /** What tells rows apart. Without it, no row is taken for a repetition. */
  readonly keyOf?: (row: Row) => string;
  readonly fetch: (pageNum: number, pageSize: number, options: CallOptions) => Promise<P>;
}

/** More pages than this are no list, but a platform that never comes to an end. */
export const pagesMax = 10_000;

/** A row that goes makes another move to a page already read: then there is a second look, and no third. */
const passesMax = 2;

const wirePage = <Row>(row: Shape<Row>) =>
  shape.object({ list: shape.nullable(shape.list(row)), total: shape.integer() });

/** One page, as nearly every list of the platform gives it. */
export async function fetchPage<Row>(
  request: RequestBuilder,
  pageNum: number,
  pageSize: number,
  options: CallOptions,
  row: Shape<Row>,
): Promise<Page<Row>> {
  const numbered = request.param('pageNum', pageNum).param('pageSize', pageSize);
  const { list, total } = await within(numbered, options).do(wirePage(row));
  return { list: list ?? [], total };
}

/** One page of a source, with its numbers checked. */
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
 * All rows, page after page, as they are asked for, each once. It is no snapshot: a row that goes while another comes
 * leaves no trace in the total, and the one that then moved between pages is missing until the next look. `BadAnswer` if
 * the platform gives the same page again, says that there are rows and shows none, or has more than `pagesMax` pages;
 * `Timeout` when the time of the whole list is over. Lists that are read as one share their `time`.
 */
export function rowsOf<Row>(
  source: PageSource<Row, OpenPage<Row>>,
  limits: ClientLimits,
  options: ListOptions,
  time = new ListTime(limits, options),
): AsyncGenerator<Row, void, undefined> {
  return walked(source, checkPageSize(options.pageSize ?? limits.pageSize, limits), time);
}

async function* walked<Row>(
  source: PageSource<Row, OpenPage<Row>>,
  pageSize: number,
  time: ListTime,
): AsyncGenerator<Row, void, undefined> {
  const walk = new Walk(source, pageSize);
  for (let pass = 1; pass <= passesMax; pass++) {
    walk.restart();
    while (!walk.isAtEnd) {
      yield* walk.fresh(
        await time.page(source.endpoint, (options) => source.fetch(walk.pageNum, walk.pageSize, options)),
      );
    }
    if (walk.isComplete) return;
  }
}

class Walk<Row> {
  readonly #source: PageSource<Row, OpenPage<Row>>;
  readonly #seen = new Set<string>();
  #given = 0;
  #pages = 0;
  /** Rows of this pass that lie behind, repetitions included. */
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

  /** Whether no row can have been missed, as far as the totals tell. */
  get isComplete(): boolean {
    if (this.#total === undefined || this.#source.keyOf === undefined) return true;
    return this.#given >= this.#total && !this.#hasShrunk;
  }

  restart(): void {
    this.#position = 0;
    this.#previous = undefined;
    this.#hasShrunk = false;
    this.isAtEnd = false;
  }

  /** Takes a page in, decides where the next one begins, and gives the rows that were not given before. */
  fresh({ list, total }: OpenPage<Row>): Row[] {
    if (++this.#pages > pagesMax) throw this.#nonsense(`there are more than ${pagesMax} pages`);
    this.#hasShrunk ||= this.#position > 0 && (total ?? 0) < (this.#total ?? 0);
    this.#total = total;
    if (list.length === 0) {
      if (this.#position === 0 && (total ?? 0) > 0) throw this.#nonsense(`the first of ${total} rows are none`);
      this.isAtEnd = true;
      return [];
    }
    if (this.#isRepeated(list)) {
      if (total !== undefined) throw this.#nonsense(`page ${this.pageNum} is the one before again`);
      // A bare list need not know pages at all: then this was everything.
      this.isAtEnd = true;
      return [];
    }
    this.#position = (this.pageNum - 1) * this.pageSize + list.length;
    this.isAtEnd = total !== undefined && this.#position >= total;
    // The platform cut the page to a size of its own. It may number pages by that size or by ours: asking for its size
    // makes both the same, and the page number rounds down, so at worst some rows come twice.
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
    this.#given++;
    return true;
  }

  #nonsense(reason: string): ApiError {
    return new ApiError('BadAnswer', { what: this.#source.endpoint, reason });
  }
}

/** The rows of all sources, each row once. */
export async function* joined<Row>(
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

/** The first row of exactly that name: the platform's own filter finds everything that looks like it. */
export async function firstNamed<Row extends { readonly name: string }>(
  rows: AsyncIterable<Row>,
  name: string,
): Promise<Row | undefined> {
  for await (const row of rows) if (row.name === name) return row;
  return undefined;
}
