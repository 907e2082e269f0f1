/**
 * Where people and programs meet. In one transaction, edits by hand are taken in first, each as a change with a
 * revision, and then the commits of programs are carried out: a program that read before the edit finds that its
 * comparison fails, and no edit is overwritten by somebody who has not seen it.
 *
 * Inside the transaction the files are looked at once more. If one has changed since it was read, nothing is written,
 * and everything starts again with a new look.
 */
import { ApiError } from '../../api/errors.ts';
import type { CommitOutcome } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import type { Tables } from '../sqlite/tables.ts';
import { type Admission, intoCommits } from './admission.ts';
import type { Home } from './home.ts';
import type { Edit, Looker, Refusal } from './look.ts';
import type { Mirror, Row } from './mirror.ts';
import { extensions } from './names.ts';
import { Plan } from './plan.ts';
import type { Publisher } from './publish.ts';

/** A file that changes again and again is left alone after this many attempts; who wanted to write it is told so. */
const attemptsMax = 5;

export interface Taken {
  /** One for each commit, in order. */
  readonly outcomes: readonly (CommitOutcome | ApiError)[];
  /** By key. */
  readonly refusals: ReadonlyMap<string, Refusal>;
}

interface Done extends Taken {
  readonly hasNews: boolean;
  /** Keys whose files do not show the newest value. */
  readonly pending: readonly string[];
}

export interface IntakeParts {
  readonly home: Home;
  readonly ledger: Ledger;
  readonly mirror: Mirror;
  readonly looker: Looker;
  readonly publisher: Publisher;
  readonly admit: Admission;
}

export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when everything is durable and, unless a disk is full, the files show it.
   * `edited` are keys whose files may have been edited; `missing` are those of them missing long enough.
   */
  async run(
    take: () => readonly Writes[],
    edited: readonly string[] = [],
    missing: ReadonlySet<string> = new Set(),
  ): Promise<Taken> {
    const { ledger, looker, publisher } = this.#parts;
    let edits = await looker.settle(edited, missing);
    for (let attempt = 1; ; attempt++) {
      const result = await ledger.transaction((tables) =>
        this.#attempt(tables, take(), edited, edits, attempt === attemptsMax),
      );
      if ('outcomes' in result) {
        if (result.hasNews) ledger.announce();
        await publisher.publish(result.pending);
        return result;
      }
      edits = new Map([...edits, ...(await looker.settle(result.suspects, new Set()))]);
    }
  }

  #attempt(
    tables: Tables,
    group: readonly Writes[],
    edited: readonly string[],
    edits: ReadonlyMap<string, Edit>,
    isLast: boolean,
  ): Done | { suspects: readonly string[] } {
    const { home, ledger, mirror, admit } = this.#parts;
    const plan = new Plan({ directory: home.directory, mirror, admit, tables });
    const keys = new Set([...edited, ...group.flat().map(({ key }) => key)]);
    for (const key of keys) plan.consider(key, edits.get(key));
    // After the looks: files that were seen missing because the whole directory went must not count.
    home.check();
    if (plan.suspects.length > 0 && !isLast) return { suspects: plan.suspects };
    for (const key of plan.suspects) plan.refuseRestless(key);

    const refused = group.map((writes) => refusalOf(writes, plan.refusals));
    const accepted = group.filter((_, index) => refused[index] === undefined);
    const taken = intoCommits(plan.writes);
    const results = ledger.apply([...taken, ...accepted]).slice(taken.length);
    for (const [index, outcome] of results.entries()) {
      if (outcome.committed) this.#markPending(plan.rows, accepted[index] ?? []);
    }
    for (const [key, row] of plan.rows) mirror.set(key, row);
    const outcomes = refused.map((refusal) => refusal ?? results.shift() ?? unanswered());
    return {
      outcomes,
      refusals: plan.refusals,
      hasNews: taken.length + accepted.length > 0,
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

/** The error for a commit that would overwrite a file which holds a refused edit. Comparing is not overwriting. */
function refusalOf(writes: Writes, refusals: ReadonlyMap<string, Refusal>): ApiError | undefined {
  for (const { type, key } of writes) {
    const refusal = type === 'check' ? undefined : refusals.get(key);
    if (refusal === undefined) continue;
    const { file, reason } = refusal;
    if (refusal.standing === 'restless') return new ApiError('Unavailable', { what: file, reason });
    // Repeating it cannot help: only a person can put the file right, and that is a change which wakes who waits.
    return new ApiError('Forbidden', {
      reason: `${file} holds an edit that is not valid: ${reason}; correct it or remove it`,
    });
  }
  return undefined;
}

function unanswered(): ApiError {
  return new ApiError('Internal', { reason: 'a commit was left without an outcome' });
}
