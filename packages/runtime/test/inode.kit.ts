/** A file or directory of the model of a disk: its changes, and which of them a power failure may lose. */

/** A change of a file or of a directory, at a position in the trace. */
export interface Change {
  readonly at: number;
}
interface Write extends Change {
  readonly offset: number;
  readonly bytes: Buffer;
}
interface Truncation extends Change {
  readonly length: number;
}
export interface Naming extends Change {
  /** Name → what it means from now on. More than one after a rename: both or none. */
  readonly names: ReadonlyMap<string, Inode | undefined>;
  /** A name is not removed before the other name of a renamed file is there. */
  readonly after?: Naming;
}

export class Inode<C extends Change = Write | Truncation | Naming> {
  readonly isDirectory: boolean;
  readonly changes: C[] = [];
  readonly #syncs: { readonly start: number; readonly end: number }[] = [];

  constructor(isDirectory: boolean) {
    this.isDirectory = isDirectory;
  }

  sync(start: number, end: number): void {
    this.#syncs.push({ start, end });
  }

  /** Changes before a position: the durable ones, and the rest. `lost` is the number of last syncs that are ignored. */
  changesBefore(moment: number, lost: number): { readonly certain: C[]; readonly open: C[] } {
    const syncs = this.#syncs.filter(({ end }) => end < moment);
    const start = syncs[syncs.length - 1 - lost]?.start ?? -1;
    const past = this.changes.filter(({ at }) => at < moment);
    return { certain: past.filter(({ at }) => at < start), open: past.filter(({ at }) => at >= start) };
  }
}

export const fates = ['nothing', 'all', 'beginning', 'some', 'torn'] as const;
export type Fate = (typeof fates)[number];

const sectorBytes = 512;

/** The changes that reach the disk, of those that are not certain. */
export function choose<C extends Change>(open: readonly C[], fate: Fate, random: () => number): readonly C[] {
  switch (fate) {
    case 'nothing':
      return [];
    case 'all':
      return open;
    case 'beginning':
      return open.slice(0, Math.floor(random() * (open.length + 1)));
    case 'some':
      return open.filter(() => random() < 0.5);
    case 'torn':
      return open.flatMap((change) => tear(change, random));
  }
}

function tear<C extends Change>(change: C, random: () => number): C[] {
  if (!('bytes' in change)) return random() < 0.5 ? [change] : [];
  const { at, offset, bytes } = change as unknown as Write;
  const pieces: C[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + sectorBytes - ((offset + start) % sectorBytes));
    const piece = { at, offset: offset + start, bytes: bytes.subarray(start, end) };
    if (random() < 0.5) pieces.push(piece as unknown as C);
    start = end;
  }
  return pieces;
}

/** What a file holds after these changes. */
export function contentOf(changes: readonly (Write | Truncation | Naming)[]): Buffer {
  let content = Buffer.alloc(0);
  let length = 0;
  const resize = (to: number) => {
    if (to < length) content.fill(0, to, length);
    if (to > content.length)
      content = Buffer.concat([content, Buffer.alloc(Math.max(to, 2 * content.length) - content.length)]);
    length = to;
  };
  for (const change of changes) {
    if ('bytes' in change) {
      resize(Math.max(length, change.offset + change.bytes.length));
      change.bytes.copy(content, change.offset);
    } else if ('length' in change) resize(change.length);
  }
  return content.subarray(0, length);
}
