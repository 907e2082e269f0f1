/** A value of the index: which row holds the newest value of a key, and when the key was created. */
import type { Revision } from '../contract.ts';

export interface Pointer {
  readonly row: number;
  /** 0 if the key was deleted. */
  readonly created: Revision;
}

function encode({ row, created }: Pointer): Buffer {
  // A new one each time: lmdb may read it later, on another thread.
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeDoubleLE(row, 0);
  bytes.writeDoubleLE(created, 8);
  return bytes;
}

export const pointerEncoder = {
  encode,
  decode: (stored: Buffer): Pointer => ({ row: stored.readDoubleLE(0), created: stored.readDoubleLE(8) }),
};

/**
 * For scans of the whole index: every entry is read into the same pointer, which is good until the next one. So a list
 * of a hundred thousand versions makes no pointer for each.
 */
export function scanEncoder() {
  const pointer = { row: 0, created: 0 };
  return {
    encode,
    decode(stored: Buffer): Pointer {
      pointer.row = stored.readDoubleLE(0);
      pointer.created = stored.readDoubleLE(8);
      return pointer;
    },
  };
}
