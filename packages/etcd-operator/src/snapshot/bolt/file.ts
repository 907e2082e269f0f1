/**
 * Reads the buckets of a bbolt file by its pages, with as much memory as the largest page and the depth of the tree need. A
 * page that is reached twice, out of order or outside of the file is an error, so a walk always ends.
 */
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { SnapshotError } from '../error.ts';
import {
  type Bucket,
  damaged,
  headerBytes,
  longAt,
  type Meta,
  Page,
  pageBytesMin,
  readBucket,
  readMeta,
} from './page.ts';

/** A value of etcd has 1.5 MiB by default; its page has one or two more. */
const pageSpanBytesMax = 256 * 1024 * 1024;
const depthMax = 32;
const bucketsMax = 1_000;
/** How many pages are read before other work of the process gets its turn. */
const pagesPerTurn = 256;

/** The key from `keyAt` to `keyEnd`, the value from there to `valueEnd`. Valid until the visit returns. */
export type Visit = (bytes: Buffer, keyAt: number, keyEnd: number, valueEnd: number) => void;

export interface WalkOptions {
  /** Only keys from this one. */
  readonly from?: Uint8Array;
  readonly signal?: AbortSignal;
}

export class BoltFile {
  readonly #handle: FileHandle;
  readonly #meta: Meta;
  /** One for each level of a tree. */
  readonly #buffers: Buffer[] = [];
  #pagesRead = 0;

  private constructor(handle: FileHandle, meta: Meta) {
    this.#handle = handle;
    this.#meta = meta;
  }

  /** `sizeBytes` is that of the database, which starts the file. */
  static async open(handle: FileHandle, sizeBytes: number): Promise<BoltFile> {
    const meta = await newestMeta(handle);
    if (!meta) {
      throw new SnapshotError('NotSnapshot', 'the file is not a snapshot of etcd: it has no bbolt database');
    }
    if (!Number.isSafeInteger(meta.pages) || meta.pages * meta.pageBytes > sizeBytes) {
      const expected = `${meta.pages} pages of ${meta.pageBytes} bytes`;
      throw new SnapshotError('Truncated', `the snapshot is cut: its database has ${expected}; fetch or copy it again`);
    }
    return new BoltFile(handle, meta);
  }

  get sizeBytes(): number {
    return this.#meta.pages * this.#meta.pageBytes;
  }

  /** In the order of their names. */
  async buckets(): Promise<readonly Bucket[]> {
    const found: Bucket[] = [];
    await this.#walk({ name: '', rootPage: this.#meta.rootPage }, {}, (page, index, keyAt, keyEnd, valueEnd) => {
      const name = page.bytes.toString('utf8', keyAt, keyEnd);
      if (!page.isBucket(index)) throw damaged(`${JSON.stringify(name)} is not a bucket`);
      if (found.length === bucketsMax) throw damaged(`it has more than ${bucketsMax} buckets`);
      found.push(readBucket(name, page.bytes.subarray(keyEnd, valueEnd)));
    });
    return found;
  }

  /** Visits the keys of a bucket in their order. A bucket in the bucket is visited without a value. */
  async walk(bucket: Bucket, visit: Visit, options: WalkOptions = {}): Promise<void> {
    await this.#walk(bucket, options, (page, index, keyAt, keyEnd, valueEnd) =>
      visit(page.bytes, keyAt, keyEnd, page.isBucket(index) ? keyEnd : valueEnd),
    );
  }

  async #walk(
    bucket: Bucket,
    { from, signal }: WalkOptions,
    visit: (page: Page, index: number, keyAt: number, keyEnd: number, valueEnd: number) => void,
  ): Promise<void> {
    const seen = new Uint8Array(Math.ceil(this.#meta.pages / 8));
    const order = new KeyOrder();
    const stack: { readonly page: Page; index: number }[] = [];
    const push = (page: Page) => stack.push({ page, index: from && !page.isLeaf ? childWith(page, from) : 0 });
    push('page' in bucket ? new Page(bucket.page, 0) : await this.#read(bucket.rootPage, 0, seen));
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { page } = top;
      if (page.isLeaf) {
        visitLeaf(page, order, from, visit);
        stack.pop();
      } else if (top.index === page.count) {
        stack.pop();
      } else {
        if (stack.length === depthMax) throw damaged(`a tree has more than ${depthMax} levels`);
        signal?.throwIfAborted();
        push(await this.#read(page.childOf(top.index++), stack.length, seen));
      }
    }
  }

  /** A page with its overflow, into the buffer of its level. */
  #read(id: number, level: number, seen: Uint8Array): Page | Promise<Page> {
    const { pages, pageBytes } = this.#meta;
    // The first two are the metas.
    if (!(id >= 2 && id < pages)) throw damaged(`there is no page ${id}`);
    const bit = 1 << (id & 7);
    if (((seen[id >>> 3] ?? 0) & bit) !== 0) throw damaged(`page ${id} is used twice`);
    seen[id >>> 3] = (seen[id >>> 3] ?? 0) | bit;
    const buffer = this.#buffer(level, pageBytes);
    const parse = (readBytes: number): Page => {
      if (readBytes !== pageBytes) throw cut();
      if (longAt(buffer, 0) !== id) throw damaged(`page ${id} has the number ${longAt(buffer, 0)}`);
      const overflow = buffer.readUInt32LE(12);
      if (overflow === 0) return new Page(buffer.subarray(0, pageBytes), id);
      const spanBytes = (overflow + 1) * pageBytes;
      if (id + overflow >= pages || spanBytes > pageSpanBytesMax) throw damaged(`page ${id} is too large`);
      const span = this.#buffer(level, spanBytes);
      const rest = readSync(this.#handle.fd, span, pageBytes, spanBytes - pageBytes, (id + 1) * pageBytes);
      if (rest !== spanBytes - pageBytes) throw cut();
      return new Page(span.subarray(0, spanBytes), id);
    };
    // Synchronous reads are faster by far: the pages are small, and most are in the cache of the system.
    if (++this.#pagesRead % pagesPerTurn !== 0) {
      return parse(readSync(this.#handle.fd, buffer, 0, pageBytes, id * pageBytes));
    }
    return this.#handle.read(buffer, 0, pageBytes, id * pageBytes).then(({ bytesRead }) => parse(bytesRead));
  }

  /** Keeps the content when it grows. */
  #buffer(level: number, sizeBytes: number): Buffer {
    const existing = this.#buffers[level];
    if (existing && existing.byteLength >= sizeBytes) return existing;
    const larger = Buffer.alloc(sizeBytes);
    existing?.copy(larger);
    this.#buffers[level] = larger;
    return larger;
  }
}

/** Keys of a bucket ascend, also from page to page. */
class KeyOrder {
  #last = Buffer.alloc(0);
  #hasLast = false;

  check(bytes: Buffer, keyAt: number, keyEnd: number): void {
    if (this.#hasLast && bytes.compare(this.#last, 0, this.#last.byteLength, keyAt, keyEnd) <= 0) {
      throw damaged('its keys are not in order');
    }
  }

  /** The last key of a page. */
  keep(bytes: Buffer, keyAt: number, keyEnd: number): void {
    this.#last = Buffer.from(bytes.subarray(keyAt, keyEnd));
    this.#hasLast = true;
  }
}

function visitLeaf(
  page: Page,
  order: KeyOrder,
  from: Uint8Array | undefined,
  visit: (page: Page, index: number, keyAt: number, keyEnd: number, valueEnd: number) => void,
): void {
  const { bytes, count } = page;
  let [lastAt, lastEnd] = [0, 0];
  for (let index = 0; index < count; index++) {
    const keyAt = page.keyAt(index);
    const keyEnd = page.keyEnd(index);
    if (index === 0) order.check(bytes, keyAt, keyEnd);
    else if (bytes.compare(bytes, lastAt, lastEnd, keyAt, keyEnd) <= 0) throw damaged('its keys are not in order');
    [lastAt, lastEnd] = [keyAt, keyEnd];
    if (from && bytes.compare(from, 0, from.byteLength, keyAt, keyEnd) < 0) continue;
    visit(page, index, keyAt, keyEnd, page.valueEnd(index, keyEnd));
  }
  if (count > 0) order.keep(bytes, lastAt, lastEnd);
}

/** The last child that can contain the key: the first key of the next one is larger. */
function childWith(page: Page, key: Uint8Array): number {
  let index = 0;
  while (
    index + 1 < page.count &&
    page.bytes.compare(key, 0, key.byteLength, page.keyAt(index + 1), page.keyEnd(index + 1)) <= 0
  ) {
    index++;
  }
  return index;
}

/** Of the two metas the one of the later transaction that is valid. The second one is at the end of the first page. */
async function newestMeta(handle: FileHandle): Promise<Meta | undefined> {
  const bytes = Buffer.alloc(headerBytes + pageBytesMin);
  const metaAt = async (position: number) => {
    const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, position);
    return readMeta(bytes.subarray(0, bytesRead));
  };
  const first = await metaAt(0);
  const sizes = first ? [first.pageBytes] : Array.from({ length: 8 }, (_, index) => pageBytesMin * 2 ** index);
  for (const size of sizes) {
    const second = await metaAt(size);
    if (second && second.pageBytes === size) return !first || second.transaction > first.transaction ? second : first;
  }
  return first;
}

function cut(): SnapshotError {
  return new SnapshotError('Truncated', 'the snapshot is cut: a page is missing; fetch or copy it again');
}
