/** The embedded default: a ledger, and writers that share its flushes. A commit is acknowledged when it is flushed. */
import { Ledger, type LedgerOptions } from './ledger.ts';
import { LedgerStore } from './ledger-store.ts';

export class LmdbStore extends LedgerStore {
  constructor(options: LedgerOptions) {
    const ledger = new Ledger(options);
    super({
      ledger,
      flush: (take) => ledger.commit(take()),
      announce: () => ledger.announce(),
    });
  }
}
