/** A process that takes LMDB's write lock and never lets go. Usage: holder <directory> */
import { writeSync } from 'node:fs';
import { open } from 'lmdb';

const root = open({ path: process.argv[2] ?? '', overlappingSync: false, maxDbs: 8 });
root.transactionSync(() => {
  root.putSync('half', 'a write that is never committed');
  writeSync(1, `${JSON.stringify({ ready: true })}\n`);
  for (;;);
});
