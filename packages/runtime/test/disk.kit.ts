/**
 * A model of the possible contents of a disk after a power failure, built from the system calls of a process.
 *
 * Durable are writes to a file before its last completed fsync started, and names that were created, renamed or removed
 * in a directory before the directory's own last fsync. Of everything later any part may have reached the disk: nothing,
 * all, a prefix, some writes and not others, or some sectors of a write and not others.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { type Change, choose, contentOf, type Fate, fates, Inode, type Naming } from './inode.kit.ts';
import { bytesOf, type Call, descriptorOf } from './trace.kit.ts';

export interface CutOptions {
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** What happens to changes that are not durable. Default: chosen randomly for each file. */
  readonly fate?: Fate;
  /** Files whose last sync before the cut is taken as if it had not happened. */
  readonly unsynced?: RegExp;
}

/** What a process had printed at a position. */
interface Printed {
  readonly at: number;
  readonly line: string;
}

const refused = new Set(['writev', 'pwritev', 'pwritev2', 'fallocate', 'truncate', 'copy_file_range', 'sendfile']);

export class Disk {
  readonly printed: Printed[] = [];
  /** The positions after everything that matters: changes, syncs and what was printed. */
  readonly moments: number[] = [];
  readonly #root: string;
  readonly #rootInode = new Inode(true);
  /** What a running process sees. */
  readonly #names = new Map<string, Inode>();
  #descriptors = new Map<number, { readonly inode: Inode; position: number }>();
  #end = 0;
  /** The beginning of a line that is not printed whole yet. */
  #rest = '';

  /** Only what is below `root` is modelled. It has to be empty when the recording starts. */
  constructor(root: string) {
    this.#root = root;
    this.#names.set(root, this.#rootInode);
  }

  /** Adds the calls of a process that ran after those before. */
  play(calls: readonly Call[]): void {
    const offset = this.#end;
    this.#descriptors = new Map();
    this.#rest = '';
    for (const call of calls) this.#play({ ...call, start: call.start + offset, end: call.end + offset });
    this.#end = Math.max(offset, ...calls.map(({ end }) => end + offset)) + 1;
  }

  #play(call: Call): void {
    const { name, args, result, start, end } = call;
    const [first, second, third, fourth] = args;
    const file = this.#descriptors.get(descriptorOf(first).number);
    switch (name) {
      case 'openat':
        this.#open(pathAt(first, second), third ?? '', result, end);
        break;
      case 'open':
        this.#open(pathAt(undefined, first), second ?? '', result, end);
        break;
      case 'close':
        this.#descriptors.delete(descriptorOf(first).number);
        break;
      case 'write':
        if (file) {
          this.#change(file.inode, { at: end, offset: file.position, bytes: bytesOf(second).subarray(0, result) });
          file.position += result;
        } else if (descriptorOf(first).number === 1) this.#print(end, bytesOf(second).toString());
        break;
      case 'pwrite64':
        if (file)
          this.#change(file.inode, { at: end, offset: Number(fourth), bytes: bytesOf(second).subarray(0, result) });
        break;
      case 'ftruncate':
        if (file) this.#change(file.inode, { at: end, length: Number(second) });
        break;
      case 'fsync':
      case 'fdatasync':
        file?.inode.sync(start, end);
        if (file) this.moments.push(end + 1);
        break;
      case 'mkdir':
        this.#name(end, pathAt(undefined, first), new Inode(true));
        break;
      case 'mkdirat':
        this.#name(end, pathAt(first, second), new Inode(true));
        break;
      case 'link':
        this.#link(end, pathAt(undefined, first), pathAt(undefined, second));
        break;
      case 'linkat':
        this.#link(end, pathAt(first, second), pathAt(third, fourth));
        break;
      case 'rename':
        this.#rename(end, pathAt(undefined, first), pathAt(undefined, second));
        break;
      case 'renameat':
      case 'renameat2':
        this.#rename(end, pathAt(first, second), pathAt(third, fourth));
        break;
      case 'unlink':
      case 'rmdir':
        this.#name(end, pathAt(undefined, first), undefined);
        break;
      case 'unlinkat':
        this.#name(end, pathAt(first, second), undefined);
        break;
      default:
        if (file && refused.has(name)) throw new Error(`the model of the disk does not know ${name}`);
    }
  }

  #print(at: number, text: string): void {
    this.moments.push(at + 1);
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.printed.push({ at, line });
  }

  #open(path: string, flags: string, descriptor: number, at: number): void {
    this.#descriptors.delete(descriptor);
    if (!this.#isInside(path)) return;
    const known = this.#names.get(path);
    const inode = known ?? new Inode(false);
    if (known === undefined) this.#name(at, path, inode);
    else if (flags.includes('O_TRUNC')) this.#change(inode, { at, length: 0 });
    if (flags.includes('O_APPEND')) throw new Error('the model of the disk does not know O_APPEND');
    this.#descriptors.set(descriptor, { inode, position: 0 });
  }

  #change(inode: Inode, change: Inode['changes'][number]): void {
    inode.changes.push(change);
    this.moments.push(change.at + 1);
  }

  #name(at: number, path: string, inode: Inode | undefined): void {
    if (!this.#isInside(path)) return;
    this.#see(path, inode);
    this.#change(this.#directoryOf(path), { at, names: new Map([[basename(path), inode]]) });
  }

  #link(at: number, from: string, to: string): void {
    if (this.#isInside(to)) this.#name(at, to, this.#names.get(from));
  }

  #rename(at: number, from: string, to: string): void {
    if (!this.#isInside(from) || !this.#isInside(to)) return;
    const inode = this.#names.get(from);
    this.#see(from, undefined);
    this.#see(to, inode);
    const arrives = [basename(to), inode] as const;
    const leaves = [basename(from), undefined] as const;
    if (dirname(from) === dirname(to)) {
      this.#change(this.#directoryOf(to), { at, names: new Map<string, Inode | undefined>([leaves, arrives]) });
      return;
    }
    const arrival: Naming = { at, names: new Map([arrives]) };
    this.#change(this.#directoryOf(to), arrival);
    this.#change(this.#directoryOf(from), { at, names: new Map([leaves]), after: arrival });
  }

  #see(path: string, inode: Inode | undefined): void {
    if (inode) this.#names.set(path, inode);
    else this.#names.delete(path);
  }

  #directoryOf(path: string): Inode {
    const found = this.#names.get(dirname(path));
    if (found === undefined) throw new Error(`the model of the disk does not know ${dirname(path)}`);
    return found;
  }

  #isInside(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  /** The disk after a power failure at a position: paths below the root → content, undefined for directories. */
  cut(moment: number, { random, fate, unsynced }: CutOptions): Map<string, Buffer | undefined> {
    const image = new Map<string, Buffer | undefined>();
    const fateOf = () => fate ?? fates[Math.floor(random() * fates.length)] ?? 'all';
    const applied = new Set<Change>();
    const uncertain = new Set<Change>();
    const inodes = new Set([this.#rootInode]);
    // Names first: whether a name was removed can depend on another directory.
    for (const inode of inodes) {
      if (!inode.isDirectory) continue;
      const { certain, open } = inode.changesBefore(moment, 0);
      for (const change of open) uncertain.add(change);
      for (const change of [...certain, ...choose(open, fateOf(), random)]) {
        applied.add(change);
        for (const other of 'names' in change ? change.names.values() : []) if (other) inodes.add(other);
      }
    }
    const visit = (inode: Inode, path: string) => {
      if (!inode.isDirectory) {
        const isUnsynced = unsynced?.test(path) ?? false;
        const { certain, open } = inode.changesBefore(moment, isUnsynced ? 1 : 0);
        image.set(path, contentOf([...certain, ...choose(open, fateOf(), random)]));
        return;
      }
      if (path !== '') image.set(path, undefined);
      const names = new Map<string, Inode>();
      for (const change of inode.changes) {
        if (!('names' in change) || !applied.has(change)) continue;
        if (change.after && uncertain.has(change) && !applied.has(change.after)) continue;
        for (const [name, other] of change.names) {
          if (other) names.set(name, other);
          else names.delete(name);
        }
      }
      for (const [name, other] of names) visit(other, join(path, name));
    };
    visit(this.#rootInode, '');
    return image;
  }
}

/** Relative paths count from the directory of a descriptor. */
function pathAt(directory: string | undefined, path: string | undefined): string {
  return resolve(descriptorOf(directory).path, bytesOf(path).toString());
}
