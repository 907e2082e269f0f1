/** The trace of a run: one line for each event. */
import { inspect } from 'node:util';
import { describeFault } from './faults.ts';
import { effectEvents, type Journal, type JournalEvent } from './journal.ts';

export interface TraceOptions {
  /** Only the last lines. Default: all. */
  readonly linesMax?: number;
}

/** Columns: seconds, process and incarnation, effect number, name, what happened, the fault that caused it. */
export function formatTrace({ events }: Journal, { linesMax = Infinity }: TraceOptions = {}): string {
  const shown = linesMax < events.length ? events.slice(-linesMax) : events;
  const rows = shown.map(columnsOf);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.min(60, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))),
  );
  const lines = rows.map(([time = '', who = '', number = '', name = '', ...rest]) =>
    [
      time.padStart(widths[0] ?? 0),
      who.padEnd(widths[1] ?? 0),
      number.padStart(widths[2] ?? 0),
      name.padEnd(widths[3] ?? 0),
      ...rest,
    ]
      .join('  ')
      .trimEnd(),
  );
  const hidden = events.length - shown.length;
  return (hidden > 0 ? [`… ${hidden} earlier lines`, ...lines] : lines).join('\n');
}

const firstEvents = new Set<string>([effectEvents.sent, effectEvents.crashBefore]);

function columnsOf(event: JournalEvent): string[] {
  const { timeMs, process, incarnation, effect, what } = event;
  const who = incarnation === 0 ? process : `${process}#${incarnation}`;
  return [
    (timeMs / 1000).toFixed(3),
    who,
    effect ? String(effect.number) : '',
    effect?.name ?? '',
    event.level === undefined ? what : logLine(event),
    // Only in the first line of the effect.
    effect?.fault && firstEvents.has(what) ? `(${describeFault(effect.fault)})` : '',
  ];
}

function logLine({ level, what, fields }: JournalEvent): string {
  const shown = fields === undefined ? '' : ` ${inspect(fields, { breakLength: Infinity, depth: 3 })}`;
  return `${level}: ${what}${shown}`;
}
