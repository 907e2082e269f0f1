/** Values of the platform as cells of a table. A missing value is `<none>` or `<unknown>`, never an empty cell. */
import { formatAge } from '@ecsm/runtime';
import type { Cell } from '../print/table.ts';
import type { Context } from './resource.ts';

export const none = '<none>';
export const unknown = '<unknown>';

type Style = Exclude<Cell, string>['style'];

const styles: Readonly<Record<string, Style>> = {
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

/** A status in its colour. */
export function statusCell(status: string | null | undefined): Cell {
  const text = status ?? unknown;
  const style = styles[text];
  return style === undefined ? text : { text, style };
}

export function textCell(text: string | number | null | undefined): string {
  return text === undefined || text === null || text === '' ? none : String(text);
}

/** `telemetry@1.0.0#sylixos`. */
export function imageText({ name, tag, os }: { [key in 'name' | 'tag' | 'os']?: string | null | undefined }): string {
  return `${name}${tag ? `@${tag}` : ''}${os ? `#${os}` : ''}`;
}

/** Age of a time in the format of the platform. */
export function ageCell({ call, platform }: Context, time: string | null | undefined): string {
  const sinceMs = platform.ecsm.timeOf(time);
  return sinceMs === undefined ? unknown : formatAge(call.terminal.clock.now() - sinceMs);
}

/** `2026-01-02 03:04:05 (5m ago)`. */
export function timeText(context: Context, time: string | null | undefined): string {
  if (!time) return none;
  const age = ageCell(context, time);
  return age === unknown ? time : `${time} (${age} ago)`;
}
