/**
 * A registry that people can read, diff, edit and commit: one JSON or YAML file for each object.
 *
 *     <directory>/apps/v1/services/default/telemetry.yaml     the newest value of a key, for people
 *     <directory>/.registry/                                  the ledger: revisions, history, locks, for the store
 *
 * The ledger is the truth: it gives commits their order among all processes and keeps history for watchers. The files
 * are a mirror of the newest values that works in both directions: a commit is acknowledged when it is flushed and its
 * files are in place, and an edit by hand becomes a change like any other, with a revision of its own.
 *
 * When a commit replaces a file, there are some microseconds in which a save by hand would be lost; see draft.ts.
 */
import { systemClock } from '../../ports/clock.ts';
import { silentLog } from '../../ports/log.ts';
import type { CommitOutcome, StoreProblem } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import { Ledger, type LedgerOptions } from '../sqlite/ledger.ts';
import { LedgerStore, type LedgerStoreParts } from '../sqlite/ledger-store.ts';
import { reportPermissions } from '../sqlite/permissions.ts';
import { type Admission, admitAll } from './admission.ts';
import { parseValue } from './format.ts';
import { Home } from './home.ts';
import { Intake } from './intake.ts';
import { Looker } from './look.ts';
import { Mirror } from './mirror.ts';
import { Problems } from './problems.ts';
import { Publisher } from './publish.ts';
import { Scanner } from './scan.ts';

export interface FileStoreOptions extends LedgerOptions {
  /**
   * How long after a scan of all files the next one starts, to find edits of which no event told. Default 2,000; a large
   * registry is scanned less often. Each file costs about ten microseconds a scan.
   */
  readonly scanMs?: number;
  /** Decides about edits by hand. Default: each is taken as it is. */
  readonly admit?: Admission;
}

export class FileStore extends LedgerStore {
  readonly #problems: Problems;

  /** Resolves when edits made while nobody was looking have been taken in. */
  static async open(options: FileStoreOptions): Promise<FileStore> {
    const { clock = systemClock, log = silentLog, scanMs = 2_000, admit = admitAll } = options;
    const home = new Home(options.directory);
    const ledger = await Ledger.open({ ...options, directory: home.ledgerDirectory });
    reportPermissions(home.directory, [home.directory, home.ledgerDirectory], log);
    const mirror = new Mirror(ledger.connection);
    const problems = new Problems(clock, log);
    const looker = new Looker(home.directory, ledger, mirror, clock);
    const publisher = new Publisher(home, ledger, mirror, problems);
    const intake = new Intake({ home, ledger, mirror, looker, publisher, admit });
    const scanner = new Scanner({ home, ledger, mirror, looker, intake, publisher, problems, clock, scanMs });
    const parts: LedgerStoreParts = {
      ledger,
      flush: async (take) => (await intake.run(take)).outcomes,
      stop: () => scanner.stop(),
      async finish() {
        await publisher.publish(publisher.failed);
        home.moveOut();
      },
    };
    const store = new FileStore(parts, problems);
    try {
      home.moveIn();
      await scanner.start();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  private constructor(parts: LedgerStoreParts, problems: Problems) {
    super(parts);
    this.#problems = problems;
  }

  /** The files that are refused or could not be written, and why. Their last good values go on being served. */
  problems(): readonly StoreProblem[] {
    return this.#problems.list;
  }

  /** Besides what every store refuses, values that are not JSON are `BadRequest`. */
  override async commit(writes: Writes): Promise<CommitOutcome> {
    for (const write of writes) if (write.type === 'put') parseValue(write.value);
    return super.commit(writes);
  }
}
