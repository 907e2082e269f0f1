/**
 * Plans what a transaction does with manual edits, before it writes anything. Each file is checked again here, because
 * inside the transaction no other process of the store writes it.
 */
import { join } from 'node:path';
import type { Write } from '../contract.ts';
import type { Tables } from '../sqlite/tables.ts';
import { type Admission, type Content, evaluate } from './admission.ts';
import { type Edit, messageOf, type Refusal } from './edit-reader.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { extensions, pathOf } from './names.ts';
import { type Observation, View } from './observation.ts';

interface PlanParts {
  readonly directory: string;
  readonly mirror: Mirror;
  readonly admit: Admission;
  readonly tables: Tables;
}

export class Plan {
  readonly writes: Write[] = [];
  /** The new rows of the mirror, by key. */
  readonly rows = new Map<string, Row | undefined>();
  readonly refusals = new Map<string, Refusal>();
  /** Keys whose files have changed since they were read. */
  readonly suspects: string[] = [];
  readonly #parts: PlanParts;
  readonly #view: View;

  constructor(parts: PlanParts) {
    this.#parts = parts;
    this.#view = new View(parts.directory);
  }

  /** `edit` is the result of reading the key's file, if it was read. */
  consider(key: string, edit: Edit | undefined): void {
    const row = this.#parts.mirror.get(key);
    const observed = this.#view.at(key, row?.extension);
    if (isUntouched(observed, row)) return;
    if (edit === undefined || !isStill(edit, observed)) {
      this.suspects.push(key);
      return;
    }
    switch (edit.is) {
      case 'refused':
        this.refusals.set(key, edit.refusal);
        break;
      case 'changing':
        this.refuseChanging(key);
        break;
      case 'touched':
        if (row?.hash === edit.hash) this.rows.set(key, { ...row, stat: edit.observed.stat });
        else this.suspects.push(key);
        break;
      default:
        this.#evaluate(key, edit, row);
    }
  }

  refuseChanging(key: string): void {
    this.#refuse(key, 'it is being changed', 'changing');
  }

  #evaluate(key: string, edit: Content, row: Row | undefined): void {
    const { admit, tables } = this.#parts;
    try {
      const result = evaluate(admit, tables, key, edit, row, this.writes);
      if (result.write !== undefined) this.writes.push(result.write);
      this.rows.set(key, result.row);
    } catch (error) {
      const reason = messageOf(error);
      if (edit.is === 'written') this.refusals.set(key, { ...edit.observed, reason, status: 'permanent' });
      else this.#refuse(key, `it may not be removed: ${reason}`, 'permanent');
    }
  }

  #refuse(key: string, reason: string, status: Refusal['status']): void {
    const { directory, mirror } = this.#parts;
    const file = join(directory, pathOf(key, mirror.get(key)?.extension ?? extensions[0]));
    this.refusals.set(key, { file, reason, stat: '', status, modifiedMs: 0 });
  }
}

/** Whether the file is still the one that was read. */
function isStill(edit: Edit, observed: Observation): boolean {
  switch (edit.is) {
    case 'written':
    case 'touched':
      return observed.is === 'file' && observed.stat === edit.observed.stat && observed.file === edit.observed.file;
    case 'removed':
      return observed.is === 'absent';
    case 'refused':
      return observed.is === 'file' ? observed.stat === edit.refusal.stat : observed.is === 'unusable';
    case 'changing':
      return true;
  }
}
