/**
 * A field that is true in one object of a kind at most, such as the default among PriorityClasses. Only a write that sets it
 * is checked: objects that have it already, from a store of an earlier version, can be changed and deleted.
 */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { Entry } from '../store/contract.ts';
import { addressIn } from './keys.ts';

type ExclusiveKind = Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'scope' | 'exclusive'>;

/** Whether a write sets the field of an object that did not have it. */
export function isClaim({ exclusive }: ExclusiveKind, before: object | undefined, next: object): boolean {
  return exclusive !== undefined && isHeldBy(next, exclusive) && !(before !== undefined && isHeldBy(before, exclusive));
}

/** Throws `Invalid` if another one of these objects has the field. One that cannot be read does not count. */
export function refuseSecond(kind: ExclusiveKind, key: string, entries: Iterable<Pick<Entry, 'key' | 'value'>>): void {
  const { exclusive = '' } = kind;
  for (const entry of entries) {
    if (entry.key === key || !isHeldBy(parsed(entry.value), exclusive)) continue;
    const message = `${kind.kind} "${addressIn(kind, entry.key).name}" has it already, and only one can have it`;
    const errors = [{ path: exclusive, type: 'Forbidden' as const, message }];
    throw new ApiError('Invalid', { kind: kind.kind, name: addressIn(kind, key).name, errors });
  }
}

function isHeldBy(object: unknown, field: string): boolean {
  return isPlainObject(object) && object[field] === true;
}

function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString('utf8'));
  } catch {
    return undefined;
  }
}
