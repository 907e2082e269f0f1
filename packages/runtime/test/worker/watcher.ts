/** A process that watches a registry from the start and prints every commit. Usage: watcher <registry URL> */
import { writeSync } from 'node:fs';
import { openRegistry } from '@ecsm/runtime';

export interface Seen {
  readonly revision: number;
  readonly changes: readonly (readonly [key: string, number: number | null])[];
}

const [url = ''] = process.argv.slice(2);
const { store } = await openRegistry(url, { kinds: [] });
const after = await store.revision();
writeSync(1, `${JSON.stringify({ ready: true, after })}\n`);
for await (const { revision, changes } of store.watch('', { after })) {
  const seen = changes.map((change) => [
    change.key,
    change.type === 'put' ? JSON.parse(new TextDecoder().decode(change.value)).number : null,
  ]);
  writeSync(1, `${JSON.stringify({ revision, changes: seen })}\n`);
}
