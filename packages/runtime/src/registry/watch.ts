/** Converts changes of a store to watch events. */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Change, Commit, Revision } from '../store/contract.ts';
import { decodeObject } from './codec.ts';
import type { Selection, VersionBatch, WatchEvent } from './contract.ts';
import { prefixOf } from './keys.ts';
import { type Matcher, matcherOf } from './list.ts';

type AnyObject = ApiObject<unknown, unknown>;

/** A commit with objects instead of bytes. Many watches share it, so each object is decoded once, when it is needed. */
export class ObjectCommit {
  readonly revision: Revision;
  readonly changes: readonly ChangedObject[];

  constructor(kind: Kind, { revision, changes }: Commit) {
    this.revision = revision;
    this.changes = changes.map((change) => new ChangedObject(kind, revision, change));
  }
}

class ChangedObject {
  readonly key: string;
  readonly isPut: boolean;
  readonly existed: boolean;
  readonly #kind: Kind;
  readonly #revision: Revision;
  readonly #change: Change;
  #before: AnyObject | undefined;
  #after: AnyObject | undefined;

  constructor(kind: Kind, revision: Revision, change: Change) {
    this.key = change.key;
    this.isPut = change.type === 'put';
    this.existed = change.previous !== undefined;
    this.#kind = kind;
    this.#revision = revision;
    this.#change = change;
  }

  /** At the version of the change, as clients expect it of a deleted object. Throws `Corrupt`. */
  before(): AnyObject | undefined {
    this.#before ??= this.#read(this.#change.previous);
    return this.#before;
  }

  /** Throws `Corrupt`. */
  after(): AnyObject | undefined {
    this.#after ??= this.#read(this.#change.type === 'put' ? this.#change.value : undefined);
    return this.#after;
  }

  #read(value: Uint8Array | undefined): AnyObject | undefined {
    return value && decodeObject(this.#kind, this.key, value, this.#revision);
  }
}

/** Returns the function that selects the events of a watch from a commit. Throws `BadRequest` for a wrong selector. */
export function eventsFor<Spec, Status>(
  kind: Kind<Spec, Status>,
  selection: Selection,
): (commit: ObjectCommit) => WatchEvent<Spec, Status>[] {
  const prefix = prefixOf(kind, selection.namespace);
  const matches = matcherOf(kind, selection);
  return ({ changes }) => {
    const events: WatchEvent<Spec, Status>[] = [];
    for (const change of changes) {
      if (!change.key.startsWith(prefix)) continue;
      const event = eventOf(kind, change, matches);
      if (event) events.push(event);
    }
    return events;
  };
}

function eventOf<Spec, Status>(
  kind: Kind<Spec, Status>,
  change: ChangedObject,
  matches: Matcher | undefined,
): WatchEvent<Spec, Status> | undefined {
  const matched = (object: AnyObject | undefined) => object !== undefined && (!matches || matches(object));
  try {
    const after = change.after();
    // Without a selector the previous object is not needed, only whether there was one.
    const matchedBefore = matches ? matched(change.before()) : change.existed;
    if (after !== undefined && matched(after)) {
      return { type: matchedBefore ? 'Modified' : 'Added', object: typed(kind, after) };
    }
    // The last state that matched, at the version of the change after which it no longer does.
    const before = matchedBefore ? change.before() : undefined;
    return before && { type: 'Deleted', object: typed(kind, before) };
  } catch (error) {
    if (!isApiError(error, 'Corrupt')) throw error;
    return { type: 'Problem', key: change.key, reason: error.message };
  }
}

/** A commit is shared by all watches of its kind, whatever the type parameters they were opened with. */
function typed<Spec, Status>(kind: Kind<Spec, Status>, object: AnyObject): ApiObject<Spec, Status> {
  if (isOfKind(kind, object)) return object;
  throw new ApiError('Internal', { reason: `a ${object.kind} was delivered to a watch of ${kind.kind}` });
}

/** The content was checked when the object was decoded. */
function isOfKind<Spec, Status>(kind: Kind<Spec, Status>, object: AnyObject): object is ApiObject<Spec, Status> {
  return object.kind === kind.kind;
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
