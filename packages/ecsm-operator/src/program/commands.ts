/** The implementations of the commands of `ecsm-operator`. */
import { Failure, type Run, type Terminal } from '@ecsm/command-line';
import { isApiError, jsonLog, type Log, readableLog, sampledLog, untilSignal } from '@ecsm/runtime';
import { withComponents } from './components.ts';
import { type OnceOutcome, once } from './once.ts';
import { type ProgramOptions, planOptions, runOptions } from './options.ts';
import { plans } from './plan.ts';
import { run as runManager } from './run.ts';

/** `run`, with and without `--once`. */
export const run: Run = async (call) => {
  const { kind, options } = await runOptions(call);
  const { terminal } = call;
  const log = logOf(options, terminal);
  return untilSignal(
    async (signal) => {
      if (kind === 'run') {
        await withComponents(options, log, (components) => runManager(components, options, log, signal));
        return 0;
      }
      const outcome = await withComponents(options, log, (components) => once(components, options, log, signal));
      return reportOutcome(outcome, options, terminal);
    },
    { log },
  );
};

function reportOutcome(
  { services, unsettled, interrupted }: OnceOutcome,
  { timeoutMs }: ProgramOptions,
  { out, err }: Terminal,
): number {
  if (unsettled.length === 0) {
    out.write(`${services} ${services === 1 ? 'service' : 'services'} reconciled\n`);
    return 0;
  }
  const why = interrupted ? 'interrupted' : `timed out after ${timeoutMs / 1000} s`;
  err.write(
    `ecsm-operator: ${why}: ${unsettled.length} of ${services} services not reconciled:\n${unsettled
      .map(({ namespace, name, why: reason }) => `  ${namespace}/${name}: ${reason}\n`)
      .join('')}`,
  );
  return 1;
}

export const plan: Run = async (call) => {
  const { options, names, showValues } = await planOptions(call);
  const { out } = call.terminal;
  // The plan is the output; informational log lines would only disturb it.
  const level = options.logLevel === 'info' ? 'warn' : options.logLevel;
  const log = logOf({ ...options, logLevel: level }, call.terminal);
  try {
    await withComponents(options, log, async (components) => {
      for await (const text of plans(components, names, { showValues })) out.write(text);
    });
  } catch (error) {
    if (!isApiError(error, 'NotFound') || error.details.kind !== 'path') throw error;
    const { ecsm } = options;
    const remedy = 'if this is not the platform, set its URL with --ecsm or ECSM_URL';
    throw new Failure(`${ecsm} has no endpoint ${error.details.name}: ${remedy}`, { cause: error });
  }
};

export function logOf({ logFormat, logLevel }: Pick<ProgramOptions, 'logFormat' | 'logLevel'>, { err }: Terminal): Log {
  const options = { write: (line: string) => err.write(line), level: logLevel };
  return sampledLog(logFormat === 'json' ? jsonLog(options) : readableLog({ ...options, colour: err.isColoured }));
}
