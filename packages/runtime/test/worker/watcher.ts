/**
 * A process that watches a registry and prints every commit.
 * Usage: watcher <registry URL> [revision after which it starts, else the newest]
 */
import { openRegistry } from '@ecsm/runtime';
import { print } from './print.ts';
import { numberIn } from './value.ts';

export interface Seen {
  readonly revision: number;
  readonly changes: readonly (readonly [key: string, number: number | null])[];
}

const [url = '', from] = process.argv.slice(2);
const { store } = await openRegistry(url, { kinds: [] });
const after = from === undefined ? await store.revision() : Number(from);
print({ ready: true, after });
for await (const { revision, changes } of store.watch('', { after })) {
  const seen = changes.map((change) => [change.key, change.type === 'put' ? numberIn(change.value) : null]);
  print({ revision, changes: seen });
}
