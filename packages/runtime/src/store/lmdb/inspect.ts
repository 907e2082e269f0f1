/**
 * Looks at an LMDB file before it is mapped. LMDB trusts what it maps: a file that was cut short or overwritten ends
 * the process with a signal that nobody can catch, so the check has to come first.
 *
 * It reads the two meta pages and walks the B+trees from the newer one: each page must carry its own number, be a
 * branch or a leaf, and point only to pages that exist. Values are not read; their checksums are checked when they are
 * (row.ts). The walk reads some tens of bytes for each key, once, when a store is opened.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ApiError } from '../../api/errors.ts';

const magic = 0xbeefc0de;
const metaBytes = 200;
const headerBytes = 24;
const noRoot = -1n;
const pageSizeMin = 256;
const pageSizeMax = 65_536;

const branchFlag = 0x01;
const leafFlag = 0x02;
const overflowValueFlag = 0x01;
const subTreeFlag = 0x02;

/**
 * A writer in another process may be at work, and use pages again while we look at them. So a problem counts only if
 * nothing was committed meanwhile, or if it is the same one every time.
 */
const attemptsMax = 5;

interface Meta {
  readonly pageBytes: number;
  readonly freeRoot: bigint;
  readonly mainRoot: bigint;
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/** Returns if the file is sound or does not exist yet; throws `Corrupt` if it is damaged. */
export function inspect(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  try {
    const problems = new Set<string>();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      if (fstatSync(descriptor).size === 0) return;
      const meta = newestMeta(descriptor);
      const problem = meta
        ? findProblem(descriptor, meta)
        : 'it is not an LMDB file, or its first pages are overwritten';
      if (problem === undefined) return;
      problems.add(problem);
      const isUnchanged = newestMeta(descriptor)?.transaction === meta?.transaction;
      if (isUnchanged || (attempt === attemptsMax && problems.size === 1)) {
        throw new ApiError('Corrupt', { what: file, reason: problem });
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function newestMeta(descriptor: number): Meta | undefined {
  const first = readMeta(descriptor, 0);
  const second = readMeta(descriptor, first?.pageBytes ?? 4096);
  if (!first || !second) return undefined;
  return second.transaction > first.transaction ? second : first;
}

function readMeta(descriptor: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(metaBytes);
  if (readSync(descriptor, bytes, 0, metaBytes, offset) < metaBytes || bytes.readUInt32LE(24) !== magic)
    return undefined;
  const pageBytes = bytes.readUInt32LE(48);
  if (pageBytes < pageSizeMin || pageBytes > pageSizeMax || (pageBytes & (pageBytes - 1)) !== 0) return undefined;
  return {
    pageBytes,
    freeRoot: bytes.readBigInt64LE(88),
    mainRoot: bytes.readBigInt64LE(136),
    lastPage: bytes.readBigInt64LE(144),
    transaction: bytes.readBigInt64LE(152),
  };
}

function findProblem(descriptor: number, meta: Meta): string | undefined {
  // After the meta page was read: a commit writes its pages before it, so what the page speaks of is there by now.
  const sizeBytes = fstatSync(descriptor).size;
  const neededBytes = (meta.lastPage + 1n) * BigInt(meta.pageBytes);
  if (BigInt(sizeBytes) < neededBytes) return `it was cut short: ${sizeBytes} bytes of ${neededBytes} are left`;
  const page = Buffer.alloc(meta.pageBytes);
  const pending = [meta.freeRoot, meta.mainRoot].filter((root) => root !== noRoot);
  for (let visited = 0n; ; visited++) {
    const number = pending.pop();
    if (number === undefined) return undefined;
    if (visited > meta.lastPage) return 'its pages point in a circle';
    if (number < 2n || number > meta.lastPage) return `it points to page ${number}, which does not exist`;
    readSync(descriptor, page, 0, meta.pageBytes, Number(number) * meta.pageBytes);
    const found = pagesBelow(page, number);
    if (found === undefined) return `page ${number} is overwritten`;
    pending.push(...found);
  }
}

/** The pages that a page points to, or nothing if it is not a sound page of that number. */
function pagesBelow(page: Buffer, number: bigint): bigint[] | undefined {
  const flags = page.readUInt16LE(18);
  const isBranch = (flags & branchFlag) !== 0;
  const isLeaf = (flags & leafFlag) !== 0;
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const room = page.length - headerBytes;
  if (page.readBigInt64LE(0) !== number || isBranch === isLeaf || lower > upper || upper > room) return undefined;
  const found: bigint[] = [];
  for (let slot = 0; slot < lower; slot += 2) {
    const offset = page.readUInt16LE(headerBytes + slot);
    if (offset < upper || offset + 8 > room) return undefined;
    const node = headerBytes + offset;
    const nodeFlags = page.readUInt16LE(node + 4);
    const size = page.readUInt16LE(node) + page.readUInt16LE(node + 2) * 65_536;
    const data = node + 8 + page.readUInt16LE(node + 6);
    if (isBranch) {
      found.push(BigInt(size) + (BigInt(nodeFlags) << 32n));
      continue;
    }
    const storedBytes = nodeFlags & overflowValueFlag ? 8 : size;
    if (data + storedBytes > page.length) return undefined;
    if (!(nodeFlags & subTreeFlag)) continue;
    const root = page.readBigInt64LE(data + 40);
    if (root !== noRoot) found.push(root);
  }
  return found;
}
