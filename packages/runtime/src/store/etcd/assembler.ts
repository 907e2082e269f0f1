/**
 * Assembles commits from the events of a watch. A message holds complete revisions, unless fragments are enabled: etcd
 * may split a revision, so the last revision of a fragment is held back until the next message shows whether it
 * continues.
 */
import type { Change, Commit, Revision } from '../contract.ts';
import { type Detail, modRevision, readChange } from './answers.ts';
import { type JsonObject, requiredObjectAt } from './json.ts';
import type { Keyspace } from './keyspace.ts';

export class CommitAssembler {
  readonly #keyspace: Keyspace;
  readonly #detail: Detail;
  /** Events up to this revision are skipped, including those of the watch's start revision. */
  #after: Revision;
  #revision: Revision = 0;
  #changes: Change[] = [];

  constructor(keyspace: Keyspace, detail: Detail, after: Revision) {
    this.#keyspace = keyspace;
    this.#detail = detail;
    this.#after = after;
  }

  /** Returns the commits that are complete now. `more`: the events continue in the next message. */
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

/** Approximate memory of a commit in a buffer. The constant stands for the objects around the bytes. */
export function commitBytes(commit: Commit): number {
  return commit.changes.reduce((sum, change) => sum + changeBytes(change), 0);
}

function changeBytes(change: Change): number {
  const objectsBytes = 200;
  const valueBytes = change.type === 'put' ? change.value.byteLength : 0;
  return objectsBytes + change.key.length + valueBytes + (change.previous?.byteLength ?? 0);
}
