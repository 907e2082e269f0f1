/**
 * What a transaction does about edits by hand, worked out before it writes anything. Each file is looked at once more
 * here, because inside the transaction no other process of ours writes it.
 */
import { join } from 'node:path';
import type { Write } from '../contract.ts';
import type { Tables } from '../sqlite/tables.ts';
import { type Admission, type Content, judge } from './admission.ts';
import { type Edit, messageOf, type Refusal } from './look.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { extensions, pathOf } from './names.ts';
import { type Sight, View } from './sight.ts';

export interface PlanParts {
  readonly directory: string;
  readonly mirror: Mirror;
  readonly admit: Admission;
  readonly tables: Tables;
}

export class Plan {
  readonly writes: Write[] = [];
  /** What the mirror is going to say, by key. */
  readonly rows = new Map<string, Row | undefined>();
  readonly refusals = new Map<string, Refusal>();
  /** Keys whose files are not what was read. */
  readonly suspects: string[] = [];
  readonly #parts: PlanParts;
  readonly #view: View;

  constructor(parts: PlanParts) {
    this.#parts = parts;
    this.#view = new View(parts.directory);
  }

  /** `edit` is what was found when the key's file was read, if it was. */
  consider(key: string, edit: Edit | undefined): void {
    const row = this.#parts.mirror.get(key);
    const sight = this.#view.at(key, row?.extension);
    if (isUntouched(sight, row)) return;
    if (edit === undefined || !isStill(edit, sight)) {
      this.suspects.push(key);
      return;
    }
    switch (edit.is) {
      case 'refused':
        this.refusals.set(key, edit.refusal);
        break;
      case 'restless':
        this.refuseRestless(key);
        break;
      case 'touched':
        if (row?.hash === edit.hash) this.rows.set(key, { ...row, stat: edit.sight.stat });
        else this.suspects.push(key);
        break;
      default:
        this.#judge(key, edit, row);
    }
  }

  refuseRestless(key: string): void {
    this.#refuse(key, 'it is being changed right now', 'restless');
  }

  #judge(key: string, edit: Content, row: Row | undefined): void {
    const { admit, tables } = this.#parts;
    try {
      const verdict = judge(admit, tables, key, edit, row);
      if (verdict.write !== undefined) this.writes.push(verdict.write);
      this.rows.set(key, verdict.row);
    } catch (error) {
      const reason = messageOf(error);
      if (edit.is === 'written') this.refusals.set(key, { ...edit.sight, reason, standing: 'lasting' });
      else this.#refuse(key, `it may not be removed: ${reason}`, 'lasting');
    }
  }

  #refuse(key: string, reason: string, standing: Refusal['standing']): void {
    const { directory, mirror } = this.#parts;
    const file = join(directory, pathOf(key, mirror.get(key)?.extension ?? extensions[0]));
    this.refusals.set(key, { file, reason, stat: '', standing, modifiedMs: 0 });
  }
}

/** Whether the file is still the one that was read. */
function isStill(edit: Edit, sight: Sight): boolean {
  switch (edit.is) {
    case 'written':
    case 'touched':
      return sight.is === 'file' && sight.stat === edit.sight.stat && sight.file === edit.sight.file;
    case 'removed':
      return sight.is === 'absent';
    case 'refused':
      return sight.is === 'file' ? sight.stat === edit.refusal.stat : sight.is === 'odd';
    case 'restless':
      return true;
  }
}
