/**
 * Combines manual edits and commits. In one transaction, manual edits are taken in first, each as a change with a
 * revision, and then the commits are applied: a client that read before the edit fails its comparison, so no edit is
 * overwritten by a client that has not seen it.
 *
 * Inside the transaction the files are checked again. If one has changed since it was read, nothing is written, and the
 * files are read again.
 */
import { ApiError } from '../../api/errors.ts';
import type { CommitOutcome } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import type { Tables } from '../sqlite/tables.ts';
import { type Admission, intoCommits } from './admission.ts';
import type { Edit, EditReader, Refusal } from './edit-reader.ts';
import type { Mirror, Row } from './mirror.ts';
import { extensions } from './names.ts';
import { Plan } from './plan.ts';
import type { Publisher } from './publish.ts';
import type { StoreDirectory } from './store-directory.ts';

/** After this many attempts a file that keeps changing is skipped, and commits to it fail. */
const attemptsMax = 5;

interface IntakeResult {
  /** One for each commit, in order. */
  readonly outcomes: readonly (CommitOutcome | ApiError)[];
  /** By key. */
  readonly refusals: ReadonlyMap<string, Refusal>;
}

interface AttemptResult extends IntakeResult {
  readonly hasCommits: boolean;
  /** Keys whose files do not show the newest value. */
  readonly pending: readonly string[];
}

interface IntakeParts {
  readonly root: StoreDirectory;
  readonly ledger: Ledger;
  readonly mirror: Mirror;
  readonly editReader: EditReader;
  readonly publisher: Publisher;
  readonly admit: Admission;
}

export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when everything is durable and, unless a disk is full, written to the files.
   * `edited` are keys whose files may have been edited; `missing` are those of them missing long enough.
   */
  async run(
    take: () => readonly Writes[],
    edited: readonly string[] = [],
    missing: ReadonlySet<string> = new Set(),
  ): Promise<IntakeResult> {
    const { ledger, editReader, publisher } = this.#parts;
    let edits = await editReader.settle(edited, missing);
    for (let attempt = 1; ; attempt++) {
      const result = await ledger.transaction((tables) =>
        this.#attempt(tables, take(), edited, edits, attempt === attemptsMax),
      );
      if ('outcomes' in result) {
        if (result.hasCommits) ledger.announce();
        await publisher.publish(result.pending);
        return result;
      }
      edits = new Map([...edits, ...(await editReader.settle(result.suspects, new Set()))]);
    }
  }

  #attempt(
    tables: Tables,
    group: readonly Writes[],
    edited: readonly string[],
    edits: ReadonlyMap<string, Edit>,
    isLast: boolean,
  ): AttemptResult | { suspects: readonly string[] } {
    const { root, ledger, mirror, admit } = this.#parts;
    const plan = new Plan({ directory: root.path, mirror, admit, tables });
    const keys = new Set([...edited, ...group.flat().map(({ key }) => key)]);
    for (const key of keys) plan.consider(key, edits.get(key));
    // After the checks: files that are missing because the whole directory was removed must not count.
    root.check();
    if (plan.suspects.length > 0 && !isLast) return { suspects: plan.suspects };
    for (const key of plan.suspects) plan.refuseChanging(key);

    const refused = group.map((writes) => refusalOf(writes, plan.refusals));
    const accepted = group.filter((_, index) => refused[index] === undefined);
    const taken = intoCommits(plan.writes);
    const results = ledger.apply([...taken, ...accepted]).slice(taken.length);
    for (const [index, outcome] of results.entries()) {
      if (outcome.committed) this.#markPending(plan.rows, accepted[index] ?? []);
    }
    for (const [key, row] of plan.rows) mirror.set(key, row);
    const outcomes = refused.map((refusal) => refusal ?? results.shift() ?? missingOutcome());
    return {
      outcomes,
      refusals: plan.refusals,
      hasCommits: taken.length + accepted.length > 0,
      pending: [...plan.rows].filter(([, row]) => row?.pending).map(([key]) => key),
    };
  }

  /** A put needs its file written, a delete needs it removed, if there is one. */
  #markPending(rows: Map<string, Row | undefined>, writes: Writes): void {
    for (const { type, key } of writes) {
      if (type === 'check') continue;
      const row = rows.has(key) ? rows.get(key) : this.#parts.mirror.get(key);
      if (row !== undefined) rows.set(key, { ...row, pending: true });
      else if (type === 'put') rows.set(key, { extension: extensions[0], hash: '', stat: '', pending: true });
    }
  }
}

/** The error for a commit that would overwrite a file with a refused edit. A comparison does not overwrite. */
function refusalOf(writes: Writes, refusals: ReadonlyMap<string, Refusal>): ApiError | undefined {
  for (const { type, key } of writes) {
    const refusal = type === 'check' ? undefined : refusals.get(key);
    if (refusal === undefined) continue;
    const { file, reason } = refusal;
    if (refusal.status === 'changing') return new ApiError('Unavailable', { what: file, reason });
    // A retry cannot succeed until the file is corrected, and that is a change which watchers receive.
    return new ApiError('Forbidden', {
      reason: `${file} has an invalid edit: ${reason}; correct it or remove it`,
    });
  }
  return undefined;
}

function missingOutcome(): ApiError {
  return new ApiError('Internal', { reason: 'a commit has no outcome' });
}
