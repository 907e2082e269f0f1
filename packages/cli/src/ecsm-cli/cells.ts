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

/** This many restarts by the platform are more than an accident; the operator reports a crash loop from here on. */
const restartsMin = 3;

/** The status and the restarts of a container. One that runs between two crashes is not well. */
export function containerCells(status: string | null | undefined, restarts: number | undefined): readonly [Cell, Cell] {
  const cell = statusCell(status);
  if (restarts === undefined || restarts < restartsMin) return [cell, textCell(restarts)];
  const isGood = typeof cell !== 'string' && cell.style === 'good';
  return [isGood ? { ...cell, style: 'warn' } : cell, { text: String(restarts), style: 'bad' }];
}

/**
 * The status of a service and `1/2`, its instances online and desired. A service is `complete` when its deployment has ended,
 * whatever became of the instances.
 */
export function onlineCells(
  status: string | null | undefined,
  online: number | undefined,
  wanted: number | undefined,
): readonly [Cell, Cell] {
  const text = `${online ?? '?'}/${wanted ?? '?'}`;
  const cell = statusCell(status);
  if (online === undefined || wanted === undefined) return [typeof cell === 'string' ? cell : cell.text, text];
  const isGood = typeof cell !== 'string' && cell.style === 'good';
  // Instances that are still being deployed are no problem yet.
  const style = online >= wanted ? 'good' : online === 0 && isGood ? 'bad' : 'warn';
  return [isGood ? { ...cell, style } : cell, { text, style }];
}

/** The different states of containers, such as `running,exited`. Green only if all run. */
export function statesCell(states: readonly string[]): Cell {
  if (states.length === 0) return none;
  const text = states.join(',');
  const [only, ...others] = new Set(states);
  return others.length === 0 ? statusCell(only) : { text, style: 'warn' };
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
