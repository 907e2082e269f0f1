/**
 * A process that writes a registry in every way there is, for a trace of its system calls: single commits and groups,
 * small and large values, compaction, closing and opening again. It prints as the writer does.
 * Usage: powered <registry URL> <singles>,<groups>[,compact] ...   one part for each time that it opens the registry
 */
import { openRegistry, type Store, type Write } from '@ecsm/runtime';
import { print } from './print.ts';
import { encode } from './value.ts';

/** Printed before and after history is compacted. */
export type Compacts = { readonly compacts: number } | { readonly compacted: number };

const [url = '', ...parts] = process.argv.slice(2);
const groupCommits = 12;
const keysOfLoop = 4;
const historyKept = 20;
let counter = 0;
const steps = new Map<number, number>();

for (const part of parts) {
  const [singles, groups, compact] = part.split(',');
  const { store } = await openRegistry(url, { kinds: [] });
  for (let n = 0; n < Number(singles); n++) await commit(store, 0);
  for (let n = 0; n < Number(groups); n++) {
    await Promise.all(Array.from({ length: groupCommits }, (_, loop) => commit(store, loop + 1)));
  }
  if (compact !== undefined) {
    const target = (await store.revision()) - historyKept;
    print({ compacts: target });
    await store.compact(target);
    print({ compacted: target });
    for (let n = 0; n < Number(singles); n++) await commit(store, 0);
  }
  await store.close();
}

async function commit(store: Store, number: number): Promise<void> {
  const loop = `powered/${number}`;
  const step = steps.get(number) ?? 0;
  steps.set(number, step + 1);
  const writes: Write[] = [];
  const intends: Record<string, number | null> = {};
  for (let n = 0; n <= step % 3; n++) {
    const key = `example.io/v1/things/${loop}-${(step + n) % keysOfLoop}`;
    // The steps before have made the key.
    const isDelete = step > keysOfLoop && step % 7 === 6 && n === 0;
    intends[key] = isDelete ? null : ++counter;
    writes.push(isDelete ? { type: 'delete', key } : { type: 'put', key, value: encode('powered', counter) });
  }
  print({ loop, intends });
  const outcome = await store.commit(writes);
  if (!outcome.committed) throw new Error(`without a comparison, yet ${JSON.stringify(outcome)}`);
  print({ loop, revision: outcome.revision });
}
