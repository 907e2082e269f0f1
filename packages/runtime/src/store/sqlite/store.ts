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
    return new SqliteStore({
      ledger,
      flush: (take) => ledger.commit(take()),
      announce: () => ledger.announce(),
    });
  }
}
