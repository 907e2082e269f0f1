/**
 * A process that writes as fast as it can, in several loops at once, and prints a line for each acknowledged commit,
 * never before. Usage: writer <registry URL> <name> [commits in all, else until it is killed]
 */
import { writeSync } from 'node:fs';
import { openRegistry, type Write } from '@ecsm/runtime';

export interface Acknowledged {
  readonly revision: number;
  /** Key → number written, or null for a delete. */
  readonly wrote: Readonly<Record<string, number | null>>;
}

const [url = '', name = '', limit = 'Infinity'] = process.argv.slice(2);
const loops = 6;
const keysOfLoop = 5;

const { store } = await openRegistry(url, { kinds: [] });
let remaining = Number(limit);
let counter = 0;
print({ ready: true });

await Promise.all(Array.from({ length: loops }, (_, loop) => run(loop)));
await store.close();

async function run(loop: number): Promise<void> {
  const known = new Map<string, number>();
  for (let step = 0; remaining-- > 0; step++) {
    const writes: Write[] = [];
    const wrote: Record<string, number | null> = {};
    // One, two or three keys of this loop's own, and every seventh time a delete: all or nothing, compared and set.
    for (let n = 0; n <= step % 3; n++) {
      const key = `example.io/v1/things/${name}/${loop}-${(step + n) % keysOfLoop}`;
      const revision = known.get(key);
      if (revision !== undefined && step % 7 === 6) {
        writes.push({ type: 'delete', key, expected: revision });
        wrote[key] = null;
      } else {
        const number = ++counter;
        writes.push({
          type: 'put',
          key,
          value: encode(number),
          ...(revision === undefined ? {} : { expected: revision }),
        });
        wrote[key] = number;
      }
    }
    const outcome = await store.commit(writes);
    if (!outcome.committed) throw new Error(`nobody else writes these keys, yet ${JSON.stringify(outcome)}`);
    print({ revision: outcome.revision, wrote });
    for (const [key, number] of Object.entries(wrote)) {
      if (number === null) known.delete(key);
      else known.set(key, outcome.revision);
    }
  }
}

function encode(number: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ writer: name, number, filler: 'x'.repeat(number % 700) }));
}

/** Synchronous, so that a line printed is a line delivered whatever happens to this process next. */
function print(message: object): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}
