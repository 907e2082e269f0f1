/**
 * A process that opens a registry, reads its revision and closes it, again and again. In between it writes, or compacts
 * up to a revision.
 * Usage: opener <registry URL> <name> reads|writes|compacts [revision] [turns, else until it is killed]
 */
import { openRegistry } from '@ecsm/runtime';
import { print } from './print.ts';
import { encode } from './value.ts';
import type { Said } from './writer.ts';

export type Opened = Said | { readonly read: number };

const [url = '', name = '', task = '', target = '0', turns = 'Infinity'] = process.argv.slice(2);
const tuning = { logCommitsMax: 1_000_000, lockTimeoutMs: 30_000 };
const loop = `${name}/0`;

print({ ready: true });
let last = 0;
for (let number = 1; number <= Number(turns); number++) {
  const { store } = await openRegistry(url, { kinds: [], tuning });
  const revision = await store.revision();
  if (revision < last) throw new Error(`revision ${revision} was read after ${last}`);
  print({ read: revision });
  last = revision;
  if (task === 'compacts') await store.compact(Number(target));
  if (task === 'writes') {
    const key = `example.io/v1/things/${loop}-${number % 5}`;
    print({ loop, intends: { [key]: number } });
    const outcome = await store.commit([{ type: 'put', key, value: encode(name, number) }]);
    if (!outcome.committed) throw new Error(`without a comparison, yet ${JSON.stringify(outcome)}`);
    print({ loop, revision: outcome.revision });
    last = outcome.revision;
  }
  await store.close();
}
