/** The embedded default: a ledger, and writers that share its flushes. A commit is acknowledged when it is flushed. */
import { join } from 'node:path';
import { silentLog } from '../../ports/log.ts';
import { databaseFile } from './connection.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';
import { LedgerStore } from './ledger-store.ts';
import { reportPermissions } from './permissions.ts';

export class SqliteStore extends LedgerStore {
  static async open(options: LedgerOptions): Promise<SqliteStore> {
    const { directory, log = silentLog } = options;
    const ledger = await Ledger.open(options);
    reportPermissions(directory, [directory, join(directory, databaseFile)], log);
    let newest = 0;
    return new SqliteStore({
      ledger,
      async flush(take) {
        const outcomes = await ledger.commit(take());
        for (const outcome of outcomes) if (outcome.committed) newest = Math.max(newest, outcome.revision);
        return outcomes;
      },
      announce: () => ledger.announce(newest),
    });
  }
}
