/**
 * Goal: whatever several clients do at once, the registry behaves as if they had done it one after another, and every
 * watcher sees exactly that. Method: random histories (fast-check), judged afterwards; see history.kit.ts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Commit, Revision, Store } from '../store/contract.ts';
import { availableStores } from '../store/stores.kit.ts';
import { judge, runHistory, scripts } from './history.kit.ts';

/** Watches until it has seen `through`, with a pause now and then, stopping and resuming at random places. */
async function watched(store: Store, after: Revision, through: Promise<Revision>): Promise<Commit[]> {
  const seen: Commit[] = [];
  const stop = new AbortController();
  let end = Number.POSITIVE_INFINITY;
  void through.then((revision) => {
    end = revision;
    if ((seen.at(-1)?.revision ?? after) >= end) stop.abort();
  });
  while (!stop.signal.aborted) {
    const position = seen.at(-1)?.revision ?? after;
    for await (const commit of store.watch('', { after: position, signal: stop.signal })) {
      seen.push(commit);
      if (commit.revision >= end) stop.abort();
      else if (commit.revision % 5 === 0) break;
    }
  }
  return seen;
}

const shown = (commits: readonly Commit[]) =>
  commits.map(({ revision, changes }) => [
    revision,
    changes.map((change) => [
      change.type,
      change.key,
      change.type === 'put' ? new TextDecoder().decode(change.value) : null,
    ]),
  ]);

for (const { name, harness, runs } of availableStores()) {
  describe(`histories on the ${name} store`, () => {
    it('are linearizable, and every watcher sees all changes once and in order', { timeout: 180_000 }, async () => {
      await fc.assert(
        fc
          .asyncProperty(scripts, async (clientScripts) => {
            const store = await harness.create();
            const start = await store.revision();
            let finish: (revision: Revision) => void = () => {};
            const finished = new Promise<Revision>((resolve) => {
              finish = resolve;
            });
            const watchers = [watched(store, start, finished), watched(await harness.connect(store), start, finished)];
            const calls = await runHistory(() => harness.connect(store), clientScripts);
            finish(await store.revision());
            const [first = [], ...others] = await Promise.all(watchers);
            for (const other of others) expect(shown(other)).toEqual(shown(first));
            judge(calls, first, start);
          })
          .afterEach(() => harness.cleanup()),
        { numRuns: runs, endOnFailure: true },
      );
    });
  });
}
