/** Values of the platform as cells of a table. What is not known is `<none>` or `<unknown>`, never an empty cell. */
import { formatAge } from '../print/age.ts';
import type { Cell } from '../print/table.ts';
import type { Context } from './noun.ts';

export const none = '<none>';
export const unknown = '<unknown>';

type Look = Exclude<Cell, string>['look'];

const looks: Readonly<Record<string, Look>> = {
  online: 'good',
  running: 'good',
  complete: 'good',
  success: 'good',
  offline: 'bad',
  failure: 'bad',
  deploying: 'warn',
  exited: 'warn',
  paused: 'warn',
  stopped: 'warn',
  [unknown]: 'warn',
};

/** A word with the colour that it deserves. */
export function statusCell(word: string | null | undefined): Cell {
  const text = word ?? unknown;
  const look = looks[text];
  return look === undefined ? text : { text, look };
}

export function textCell(text: string | number | null | undefined): string {
  return text === undefined || text === null || text === '' ? none : String(text);
}

/** Since a moment that the platform wrote. */
export function ageCell({ call, platform }: Context, time: string | null | undefined): string {
  const sinceMs = platform.ecsm.timeOf(time);
  return sinceMs === undefined ? unknown : formatAge(call.terminal.clock.now() - sinceMs);
}

/** `2026-01-02 03:04:05 (5m ago)`. */
export function momentText(context: Context, time: string | null | undefined): string {
  if (!time) return none;
  const age = ageCell(context, time);
  return age === unknown ? time : `${time} (${age} ago)`;
}
