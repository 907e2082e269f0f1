/** A failure as people read it: what is wrong, the least that has to go wrong for it, what happened, how to see it again. */
import { describeFault } from './faults.ts';
import type { RunResult } from './scenario.ts';
import { formatTrace, type TraceOptions } from './trace.ts';

/** The end of a trace tells most, and a screen holds no more. */
const traceLinesMax = 200;

export interface ReportOptions extends TraceOptions {
  /** The run as its seed made it, where `result` is what was left of it by shrinking. */
  readonly original?: RunResult;
  /** Arguments beside scenario and seed that make it fail again. Default `--trace`. */
  readonly again?: string;
}

export function formatFailure(result: RunResult, options: ReportOptions = {}): string {
  const { scenario, seed, failure, faults, journal } = result;
  const { original = result, linesMax = traceLinesMax, again = '--trace' } = options;
  const count = original === result ? `${faults.length}` : `${faults.length} of ${original.faults.length} needed`;
  return [
    `${scenario.name}: seed ${seed} fails: ${failure?.oracle ?? 'it does not fail'}`,
    indent(failure?.message ?? ''),
    `faults (${count}):`,
    ...faults.map((fault) => indent(describeFault(fault))),
    'trace (seconds, process#incarnation, effect, what happened):',
    indent(formatTrace(journal, { linesMax })),
    `again: --scenario ${scenario.name} --seed ${seed} ${again}`,
    `these faults alone: runScenario(scenario, ${seed}, ${JSON.stringify(faults)})`,
  ].join('\n');
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
