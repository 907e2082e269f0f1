/**
 * A process that writes as fast as it can, in several concurrent loops. It prints each commit before it starts, and its
 * revision after it was acknowledged, never before.
 * Usage: writer <registry URL> <name> [commits in all, else until it is killed] [loops]
 */
import { openRegistry, type Write } from '@ecsm/runtime';
import { print } from './print.ts';
import { encode } from './value.ts';

/** Key → number written, or null for a delete. */
export type Wrote = Readonly<Record<string, number | null>>;

/** A loop has one commit in flight at a time: `revision` acknowledges what it `intends` in the line before. */
export type Said =
  | { readonly loop: string; readonly intends: Wrote }
  | { readonly loop: string; readonly revision: number };

const [url = '', name = '', limit = 'Infinity', loops = '6'] = process.argv.slice(2);
const keysOfLoop = 5;
/** All of the history is checked, and a slow machine is not a failure. */
const tuning = { logCommitsMax: 1_000_000, lockTimeoutMs: 30_000 };

const { store } = await openRegistry(url, { kinds: [], tuning });
let remaining = Number(limit);
let counter = 0;
print({ ready: true });

await Promise.all(Array.from({ length: Number(loops) }, (_, loop) => run(`${name}/${loop}`)));
await store.close();

async function run(loop: string): Promise<void> {
  const known = new Map<string, number>();
  for (let step = 0; remaining-- > 0; step++) {
    const writes: Write[] = [];
    const intends: Record<string, number | null> = {};
    // One, two or three keys of this loop's own, and every seventh time a delete: all or nothing, compared and set.
    for (let n = 0; n <= step % 3; n++) {
      const key = `example.io/v1/things/${loop}-${(step + n) % keysOfLoop}`;
      const revision = known.get(key);
      if (revision !== undefined && step % 7 === 6) {
        writes.push({ type: 'delete', key, expected: revision });
        intends[key] = null;
      } else {
        const number = ++counter;
        writes.push({ type: 'put', key, value: encode(name, number), expected: revision ?? 0 });
        intends[key] = number;
      }
    }
    print({ loop, intends });
    const outcome = await store.commit(writes);
    if (!outcome.committed) throw new Error(`no other process writes these keys, yet ${JSON.stringify(outcome)}`);
    print({ loop, revision: outcome.revision });
    for (const [key, number] of Object.entries(intends)) {
      if (number === null) known.delete(key);
      else known.set(key, outcome.revision);
    }
  }
}
