/** Changes of a store as events of objects. */
import { isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Change, Commit } from '../store/contract.ts';
import { decode, withRevision } from './codec.ts';
import type { Matcher, Selection } from './list.ts';

export interface WatchSelection extends Selection {
  /** Deliver everything after this version: that of a list, or of the last batch seen. */
  readonly resourceVersion: string;
  /** Ends the watch quietly. */
  readonly signal?: AbortSignal;
}

export type WatchEvent<Spec, Status> =
  /** With a selector, an object that starts to match is Added and one that ceases to match is Deleted. */
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: ApiObject<Spec, Status> }
  /** A change whose record cannot be read. */
  | { readonly type: 'Problem'; readonly key: string; readonly reason: string };

/** The events of one commit: they happened together. */
export interface EventBatch<Spec, Status> {
  /** Resume after this version. */
  readonly resourceVersion: string;
  readonly events: readonly WatchEvent<Spec, Status>[];
}

export function eventsOf<Spec, Status>(
  kind: Kind<Spec, Status>,
  { revision, changes }: Commit,
  matches: Matcher | undefined,
): WatchEvent<Spec, Status>[] {
  const read = (key: string, value: Uint8Array) => withRevision(decode(kind, key, value), revision);
  const event = (change: Change): WatchEvent<Spec, Status> | undefined => {
    const { key, previous } = change;
    const before = previous && read(key, previous);
    const after = change.type === 'put' ? read(key, change.value) : undefined;
    const matchedBefore = before !== undefined && (!matches || matches(before));
    const matchesNow = after !== undefined && (!matches || matches(after));
    if (matchesNow) return { type: matchedBefore ? 'Modified' : 'Added', object: after };
    // The object is the last one that matched, at the version of the change that took it away.
    return matchedBefore ? { type: 'Deleted', object: before } : undefined;
  };
  return changes.flatMap((change): WatchEvent<Spec, Status>[] => {
    try {
      const found = event(change);
      return found ? [found] : [];
    } catch (error) {
      if (!isApiError(error, 'Corrupt')) throw error;
      return [{ type: 'Problem', key: change.key, reason: error.message }];
    }
  });
}
