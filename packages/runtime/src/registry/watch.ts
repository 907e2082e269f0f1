/** Converts changes of a store to watch events. */
import { isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { Change, Commit } from '../store/contract.ts';
import { decode, withRevision } from './codec.ts';
import type { VersionBatch, WatchEvent } from './contract.ts';
import type { Matcher } from './list.ts';

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
    // The last state that matched, at the version of the change after which it no longer does.
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

export function versionsOf({ revision, changes }: Commit): VersionBatch {
  return {
    resourceVersion: String(revision),
    changes: changes.map((change) =>
      change.type === 'put'
        ? { type: 'put', key: change.key, identity: String(change.created) }
        : { type: 'delete', key: change.key },
    ),
  };
}
