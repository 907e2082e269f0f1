/**
 * A registry that users can read, diff, edit and commit: one JSON or YAML file for each object.
 *
 *     <directory>/apps/v1/services/default/telemetry.yaml     the newest value of a key, for users
 *     <directory>/.registry/                                  the ledger: revisions, history, locks, for the store
 *
 * The ledger is authoritative: it orders the commits of all processes and keeps history for watchers. The files mirror
 * the newest values in both directions: a commit is acknowledged when it is flushed and its files are in place, and a
 * manual edit becomes a change with a revision of its own.
 *
 * When a commit replaces a file, there are some microseconds in which a manual save would be lost; see draft.ts.
 */
import { systemClock } from '../../ports/clock.ts';
import { silentLog } from '../../ports/log.ts';
import type { CommitOutcome, StoreProblem } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import { Ledger, type LedgerOptions } from '../sqlite/ledger.ts';
import { LedgerStore, type LedgerStoreParts } from '../sqlite/ledger-store.ts';
import { reportPermissions } from '../sqlite/permissions.ts';
import { type Admission, admitAll } from './admission.ts';
import { EditReader } from './edit-reader.ts';
import { parseValue } from './format.ts';
import { Intake } from './intake.ts';
import { Mirror } from './mirror.ts';
import { Problems } from './problems.ts';
import { Publisher } from './publish.ts';
import { Scanner } from './scan.ts';
import { StoreDirectory } from './store-directory.ts';

export interface FileStoreOptions extends LedgerOptions {
  /**
   * Pause between two scans of all files, which find edits without an event. Default 2,000; a large registry is scanned
   * less often. Each file costs about ten microseconds per scan.
   */
  readonly scanMs?: number;
  /** Accepts or refuses manual edits. Default: all are accepted. */
  readonly admit?: Admission;
}

export class FileStore extends LedgerStore {
  readonly #problems: Problems;

  /** Resolves when edits made while the store was closed have been taken in. */
  static async open(options: FileStoreOptions): Promise<FileStore> {
    const { clock = systemClock, log = silentLog, scanMs = 2_000, admit = admitAll } = options;
    const root = new StoreDirectory(options.directory);
    const ledger = await Ledger.open({ ...options, directory: root.ledgerDirectory });
    reportPermissions(root.path, [root.path, root.ledgerDirectory], log);
    const mirror = new Mirror(ledger.connection);
    const problems = new Problems(clock, log);
    const editReader = new EditReader(root.path, ledger, mirror, clock);
    const publisher = new Publisher(root, ledger, mirror, problems);
    const intake = new Intake({ root, ledger, mirror, editReader, publisher, admit });
    const scanner = new Scanner({ root, ledger, mirror, editReader, intake, publisher, problems, clock, scanMs });
    const parts: LedgerStoreParts = {
      ledger,
      flush: async (take) => (await intake.run(take)).outcomes,
      stop: () => scanner.stop(),
      writtenBytes: () => publisher.writtenBytes,
      async finish() {
        await publisher.publish(publisher.failed);
        root.cleanUp();
      },
    };
    const store = new FileStore(parts, problems);
    try {
      root.prepare();
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

  /** The files that are refused or could not be written, and why. Their last valid values are still returned. */
  problems(): readonly StoreProblem[] {
    return this.#problems.list;
  }

  /** In addition to the checks of every store, throws `BadRequest` for values that are not JSON. */
  override async commit(writes: Writes): Promise<CommitOutcome> {
    for (const write of writes) if (write.type === 'put') parseValue(write.value);
    return super.commit(writes);
  }
}
