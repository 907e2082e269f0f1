/**
 * A process that counts: it raises shared counters by compare and set, retrying when another was faster, and leaves a
 * key of its own in the same commit. Usage: counter <registry URL> <name> <increments>
 */
import { openRegistry } from '@ecsm/runtime';
import { print } from './print.ts';

export interface Counted {
  readonly revision: number;
  readonly counter: string;
  readonly number: number;
}

const [url = '', name = '', increments = '0'] = process.argv.slice(2);
const counters = 3;
const loops = 4;

const { store } = await openRegistry(url, { kinds: [] });
const encode = (number: number) => new TextEncoder().encode(JSON.stringify({ number }));
let remaining = Number(increments);
print({ ready: true });

await Promise.all(Array.from({ length: loops }, count));
await store.close();

async function count(): Promise<void> {
  while (remaining > 0) {
    const turn = remaining--;
    const counter = `example.io/v1/counters/shared/c${turn % counters}`;
    for (;;) {
      const entry = await store.get(counter);
      const number = entry ? JSON.parse(new TextDecoder().decode(entry.value)).number + 1 : 1;
      const outcome = await store.commit([
        { type: 'put', key: counter, value: encode(number), expected: entry?.revision ?? 0 },
        { type: 'put', key: `example.io/v1/turns/${name}/t${turn}`, value: encode(turn), expected: 0 },
      ]);
      if (!outcome.committed) continue;
      print({ revision: outcome.revision, counter, number });
      break;
    }
  }
}
