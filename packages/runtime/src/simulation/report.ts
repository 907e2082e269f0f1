/** The report of a failure: the message, the necessary faults, the trace, and how to reproduce it. */
import { describeFault } from './faults.ts';
import type { RunResult } from './scenario.ts';
import { formatTrace, type TraceOptions } from './trace.ts';

/** The end of a trace is the most useful part. */
const traceLinesMax = 200;

interface ReportOptions extends TraceOptions {
  /** The run before shrinking, if `result` was shrunk. */
  readonly original?: RunResult;
  /** Arguments, in addition to scenario and seed, that reproduce the failure. Default `--trace`. */
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
    `reproduce: --scenario ${scenario.name} --seed ${seed} ${again}`,
    `with these faults only: runScenario(scenario, ${seed}, ${JSON.stringify(faults)})`,
  ].join('\n');
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
