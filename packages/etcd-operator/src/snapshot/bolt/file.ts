/**
 * Reads the buckets of a bbolt file by its pages, with as much memory as the largest page and the depth of the tree need. A
 * page that is reached twice, out of order or outside of the file is an error, so a walk always ends.
 */
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
import { FileWindow } from './window.ts';

/** A value of etcd has 1.5 MiB by default; its page has one or two more. */
const pageSpanBytesMax = 256 * 1024 * 1024;
const depthMax = 32;
const bucketsMax = 1_000;

/** The key from `keyAt` to `keyEnd`, the value from there to `valueEnd`. Valid until the visit returns. */
type Visit = (bytes: Buffer, keyAt: number, keyEnd: number, valueEnd: number) => void;

interface WalkOptions {
  /** Only keys from this one. */
  readonly from?: Uint8Array;
  readonly signal?: AbortSignal;
}

export class BoltFile {
  readonly #meta: Meta;
  readonly #window: FileWindow;
  /** The one that is walked, for each level of a tree. */
  readonly #branches: Buffer[] = [];

  private constructor(handle: FileHandle, meta: Meta) {
    this.#meta = meta;
    this.#window = new FileWindow(handle, meta.pages * meta.pageBytes);
  }

  /** `sizeBytes` is that of the database, which starts the file. */
  static async open(handle: FileHandle, sizeBytes: number): Promise<BoltFile> {
    const meta = await newestMeta(handle);
    if (!meta) {
      throw new SnapshotError('NotSnapshot', 'the file is not a snapshot of etcd: it has no bbolt database');
    }
    if (!Number.isSafeInteger(meta.pages) || meta.pages * meta.pageBytes > sizeBytes) {
      const expected = `${meta.pages} pages of ${meta.pageBytes} bytes`;
      throw new SnapshotError(
        'Truncated',
        `the snapshot is cut: its database has ${expected}; fetch or copy it again, or use another backup`,
      );
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
    await this.#walk(bucket, options, visitorOf(visit));
  }

  /** The same by pages: `visitPage` is called with each page after its keys were visited. */
  async walkPages(
    bucket: Bucket,
    visit: Visit,
    visitPage: (page: Page) => void,
    options: WalkOptions = {},
  ): Promise<void> {
    await this.#walk(bucket, options, visitorOf(visit), visitPage);
  }

  /** Undefined if the bucket is empty. */
  async lastKey(bucket: Bucket): Promise<Buffer | undefined> {
    const seen = this.#noPages();
    let page = 'page' in bucket ? new Page(bucket.page, 0) : await this.#read(bucket.rootPage, 0, seen);
    for (let level = 1; !page.isLeaf; level++) {
      if (level === depthMax) throw tooDeep();
      page = await this.#read(page.childOf(page.count - 1), level, seen);
    }
    const last = page.count - 1;
    return last < 0 ? undefined : Buffer.from(page.bytes.subarray(page.keyAt(last), page.keyEnd(last)));
  }

  async #walk(
    bucket: Bucket,
    { from, signal }: WalkOptions,
    visit: ElementVisit,
    visitPage?: (page: Page) => void,
  ): Promise<void> {
    const seen = this.#noPages();
    const order = new KeyOrder();
    const stack: { readonly page: Page; index: number }[] = [];
    const push = (page: Page) => stack.push({ page, index: from && !page.isLeaf ? childWith(page, from) : 0 });
    push('page' in bucket ? new Page(bucket.page, 0) : await this.#read(bucket.rootPage, 0, seen));
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { page } = top;
      if (page.isLeaf) {
        visitLeaf(page, order, from, visit);
        visitPage?.(page);
        stack.pop();
      } else if (top.index === page.count) {
        stack.pop();
      } else {
        if (stack.length === depthMax) throw tooDeep();
        signal?.throwIfAborted();
        push(await this.#read(page.childOf(top.index++), stack.length, seen));
      }
    }
  }

  /** A page with its overflow. A leaf is valid until the next read, a branch as long as no other of its level is read. */
  async #read(id: number, level: number, seen: Uint8Array): Promise<Page> {
    const { pages, pageBytes } = this.#meta;
    // The first two are the metas.
    if (!(id >= 2 && id < pages)) throw damaged(`there is no page ${id}`);
    const bit = 1 << (id & 7);
    if (((seen[id >>> 3] ?? 0) & bit) !== 0) throw damaged(`page ${id} is used twice`);
    seen[id >>> 3] = (seen[id >>> 3] ?? 0) | bit;
    const reading = this.#window.read(id * pageBytes, pageBytes);
    let bytes = reading instanceof Promise ? await reading : reading;
    if (bytes.byteLength !== pageBytes) throw cut();
    if (longAt(bytes, 0) !== id) throw damaged(`page ${id} has the number ${longAt(bytes, 0)}`);
    const overflow = bytes.readUInt32LE(12);
    if (overflow > 0) {
      const spanBytes = (overflow + 1) * pageBytes;
      if (id + overflow >= pages || spanBytes > pageSpanBytesMax) throw damaged(`page ${id} is too large`);
      bytes = await this.#window.read(id * pageBytes, spanBytes);
      if (bytes.byteLength !== spanBytes) throw cut();
    }
    const page = new Page(bytes, id);
    return page.isLeaf ? page : new Page(this.#keep(bytes, level), id);
  }

  /** A bit for each. */
  #noPages(): Uint8Array {
    return new Uint8Array(Math.ceil(this.#meta.pages / 8));
  }

  #keep(bytes: Buffer, level: number): Buffer {
    let buffer = this.#branches[level];
    if (!buffer || buffer.byteLength < bytes.byteLength) {
      buffer = Buffer.alloc(bytes.byteLength);
      this.#branches[level] = buffer;
    }
    bytes.copy(buffer);
    return buffer.subarray(0, bytes.byteLength);
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

type ElementVisit = (page: Page, index: number, keyAt: number, keyEnd: number, valueEnd: number) => void;

function visitorOf(visit: Visit): ElementVisit {
  return (page, index, keyAt, keyEnd, valueEnd) =>
    visit(page.bytes, keyAt, keyEnd, page.isBucket(index) ? keyEnd : valueEnd);
}

function visitLeaf(page: Page, order: KeyOrder, from: Uint8Array | undefined, visit: ElementVisit): void {
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

function tooDeep(): SnapshotError {
  return damaged(`a tree has more than ${depthMax} levels`);
}

function cut(): SnapshotError {
  return new SnapshotError(
    'Truncated',
    'the snapshot is cut: a page is missing; fetch or copy it again, or use another backup',
  );
}
