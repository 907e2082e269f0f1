/** A process that holds the write lock, half way through a transaction, until it is killed. Usage: holder <directory> */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { print } from './print.ts';

const database = new DatabaseSync(join(process.argv[2] ?? '', 'registry.db'), { timeout: 30_000 });
database.exec('BEGIN IMMEDIATE');
database.exec(
  "INSERT INTO log (number, key, created, previous, time, checksum) VALUES (999999999, 'half', 1, 0, 0, 0)",
);
print({ ready: true });
// The reference keeps the garbage collector from closing the database, which would end the transaction.
setInterval(() => database.isOpen, 60_000);
