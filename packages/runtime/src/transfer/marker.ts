/**
 * Marks an incomplete registry: a record that is written before the first object of a transfer and removed after the
 * last has been compared. It is not an object, so only transfers read it.
 *
 * Every commit of a transfer also rewrites the marker. So it always has the number of objects that the transfer has
 * written, and of two transfers to one target only one can continue.
 */
import { isPlainObject } from '../api/json.ts';
import type { Revision, Store } from '../store/contract.ts';

export const markerKey = 'transfers/incomplete';

export interface IncompleteTransfer {
  readonly transfer: 'restore' | 'migration' | 'unknown';
  /** Where the objects come from, for messages. */
  readonly source: string;
  /** When it was started, in RFC 3339. */
  readonly started: string;
  /** Number of objects written so far. */
  readonly objects: number;
  /** The key of an object too large for one commit with the marker, while it is being written; it may exist. */
  readonly writing?: string;
}

const sourceCharactersMax = 200;

/** No marker is larger than this. */
export const markerBytesMax = 2_048;

const note = 'This registry is incomplete. Repeat the transfer, or remove everything.';

export function encodeMarker(marker: IncompleteTransfer): Uint8Array {
  return Buffer.from(JSON.stringify({ note, ...marker, source: marker.source.slice(0, sourceCharactersMax) }));
}

export async function readMarker(
  store: Store,
  at?: Revision,
): Promise<{ readonly revision: Revision; readonly marker: IncompleteTransfer } | undefined> {
  const entry = await store.get(markerKey, at);
  return entry && { revision: entry.revision, marker: decodeMarker(entry.value) };
}

/** The unfinished transfer into this store, if there is one. */
export async function incompleteTransfer(store: Store): Promise<IncompleteTransfer | undefined> {
  return (await readMarker(store))?.marker;
}

/** An unreadable marker is still a marker; -1 never matches the number of objects. */
const unreadable: IncompleteTransfer = { transfer: 'unknown', source: 'unknown', started: 'unknown', objects: -1 };

function decodeMarker(value: Uint8Array): IncompleteTransfer {
  const parsed = parse(value);
  if (!isPlainObject(parsed)) return unreadable;
  const { transfer, source, started, objects, writing } = parsed;
  if (transfer !== 'restore' && transfer !== 'migration') return unreadable;
  if (typeof source !== 'string' || typeof started !== 'string' || typeof objects !== 'number') return unreadable;
  return { transfer, source, started, objects, ...(typeof writing === 'string' ? { writing } : {}) };
}

function parse(value: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
}
