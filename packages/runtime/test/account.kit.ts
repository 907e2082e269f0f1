/** Accounts for every commit that writers intended and every revision that was acknowledged to them. */
import type { Store } from '@ecsm/runtime';
import { numberIn } from './worker/value.ts';
import type { Seen } from './worker/watcher.ts';
import type { Said, Wrote } from './worker/writer.ts';

interface Loop {
  readonly intends: Wrote[];
  /** The revisions of the first commits; the last commit may be without. */
  readonly revisions: number[];
}

const problemsMax = 10;

/** What all writers printed, by loop. */
export class Account {
  readonly #loops = new Map<string, Loop>();
  #acknowledged = 0;

  /** Takes the lines of a writer that has ended. Lines of other sorts are skipped. */
  add(lines: readonly object[]): void {
    for (const line of lines) if ('loop' in line) this.#addLine(line as Said);
  }

  #addLine(line: Said): void {
    const loop = this.#loops.get(line.loop) ?? { intends: [], revisions: [] };
    this.#loops.set(line.loop, loop);
    if ('intends' in line) loop.intends.push(line.intends);
    else {
      loop.revisions.push(line.revision);
      this.#acknowledged++;
    }
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Commits that were in flight when their writer ended. */
  get open(): number {
    return [...this.#loops.values()].filter(({ intends, revisions }) => intends.length > revisions.length).length;
  }

  /**
   * Compares with the whole log. Each commit of a loop is in it once, as a whole, in order, at the revision that was
   * acknowledged; only the last one, if it was not acknowledged, may be missing. Returns the problems.
   */
  compare(log: readonly Seen[]): string[] {
    const problems: string[] = [];
    const found = new Map<string, Seen[]>();
    let last = 0;
    for (const commit of log) {
      if (commit.revision <= last) problems.push(`revision ${commit.revision} comes after ${last}`);
      last = commit.revision;
      const loop = loopOf(commit);
      const commits = found.get(loop) ?? [];
      found.set(loop, commits);
      commits.push(commit);
    }
    for (const name of found.keys()) if (!this.#loops.has(name)) problems.push(`${name} is of no writer`);
    for (const [name, loop] of this.#loops) problems.push(...compareLoop(name, loop, found.get(name) ?? []));
    return problems.slice(0, problemsMax);
  }
}

function compareLoop(name: string, { intends, revisions }: Loop, commits: readonly Seen[]): string[] {
  const problems: string[] = [];
  if (commits.length < revisions.length || commits.length > intends.length) {
    problems.push(
      `${name}: ${intends.length} intended, ${revisions.length} acknowledged, ${commits.length} in the log`,
    );
  }
  for (const [index, commit] of commits.entries()) {
    const { revision } = commit;
    const acknowledged = revisions[index];
    if (acknowledged !== undefined && acknowledged !== revision) {
      problems.push(`${name}: commit ${index} was acknowledged as ${acknowledged} and is ${revision}`);
    }
    const wrote = JSON.stringify(Object.fromEntries(commit.changes));
    const wanted = JSON.stringify(intends[index]);
    if (wrote !== wanted) problems.push(`${name}: revision ${revision} is ${wrote} instead of ${wanted}`);
  }
  return problems;
}

/** The loop that all keys of a commit belong to. */
function loopOf({ changes }: Seen): string {
  const loops = new Set(changes.map(([key]) => key.split('/').slice(3).join('/').replace(/-\d+$/, '')));
  return [...loops].join(' and ');
}

/** The objects that a log leaves behind. */
export function replay(log: readonly Seen[]): Map<string, number> {
  const objects = new Map<string, number>();
  for (const { changes } of log) {
    for (const [key, number] of changes) {
      if (number === null) objects.delete(key);
      else objects.set(key, number);
    }
  }
  return objects;
}

/** The log between two revisions. */
export async function readLog(store: Store, after: number, through: number): Promise<Seen[]> {
  const log: Seen[] = [];
  if (through === after) return log;
  for await (const { revision, changes } of store.watch('', { after })) {
    log.push({
      revision,
      changes: changes.map((change) => [change.key, change.type === 'put' ? numberIn(change.value) : null]),
    });
    if (revision >= through) break;
  }
  return log;
}

/** All objects of a store. */
export async function readObjects(store: Store): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let after: string | undefined;
  do {
    const page = await store.list('', { limit: 100, ...(after === undefined ? {} : { after }) });
    for (const { key, value } of page.entries) found.set(key, numberIn(value));
    for (const { key } of page.damaged ?? []) found.set(key, -1);
    after = page.next;
  } while (after !== undefined);
  return found;
}
