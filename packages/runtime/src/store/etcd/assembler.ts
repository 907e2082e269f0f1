/**
 * Whole commits from the events of a watch. A message holds whole revisions, unless etcd was asked to cut messages into
 * fragments: it cuts in the middle of a revision, too, so the last revision of a fragment is held back until the next
 * message shows whether it goes on.
 */
import type { Change, Commit, Revision } from '../contract.ts';
import { type Detail, modRevision, readChange } from './answers.ts';
import { type JsonObject, requiredObjectAt } from './json.ts';
import type { Keyspace } from './keyspace.ts';

export class CommitAssembler {
  readonly #keyspace: Keyspace;
  readonly #detail: Detail;
  /** Events up to here are known already, among them those of the revision that the watch was told to start at. */
  #after: Revision;
  #revision: Revision = 0;
  #changes: Change[] = [];

  constructor(keyspace: Keyspace, detail: Detail, after: Revision) {
    this.#keyspace = keyspace;
    this.#detail = detail;
    this.#after = after;
  }

  /** The commits that are complete now. `more`: the events go on in the next message. */
  add(events: readonly JsonObject[], more: boolean): Commit[] {
    const complete: Commit[] = [];
    for (const event of events) {
      const revision = modRevision(requiredObjectAt(event, 'kv'));
      if (revision <= this.#after) continue;
      if (revision !== this.#revision) this.#finish(complete);
      this.#revision = revision;
      this.#changes.push(readChange(event, this.#keyspace, this.#detail));
    }
    if (!more) this.#finish(complete);
    return complete;
  }

  #finish(complete: Commit[]): void {
    if (this.#changes.length === 0) return;
    complete.push({ revision: this.#revision, changes: this.#changes });
    this.#after = this.#revision;
    this.#changes = [];
  }
}

/** What a commit weighs in a buffer. The constant stands for the objects around the bytes. */
export function commitBytes(commit: Commit): number {
  return commit.changes.reduce((sum, change) => sum + changeBytes(change), 0);
}

function changeBytes(change: Change): number {
  const objectsBytes = 200;
  const valueBytes = change.type === 'put' ? change.value.byteLength : 0;
  return objectsBytes + change.key.length + valueBytes + (change.previous?.byteLength ?? 0);
}
