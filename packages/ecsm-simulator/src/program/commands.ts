/** The implementation of the commands of `ecsm-sim`. */
import { Failure, type Run, type Terminal } from '@ecsm/command-line';
import { isApiError, jsonLog, type Log, readableLog, systemClock, untilSignal } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '../http/simulator.ts';
import type { State } from '../platform/model.ts';
import { call } from './call.ts';
import { callOf, optionsOf, type ProgramOptions } from './options.ts';
import { deployServices } from './starting-load.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { Ticker } from './ticker.ts';

export const callOnce: Run = async (invocation) => {
  const { status, text } = await call(callOf(invocation));
  invocation.terminal.out.write(`${text}\n`);
  return status < 400 ? 0 : 1;
};

export const simulate: Run = async (invocation) => {
  const options = optionsOf(invocation);
  const state = stateOf(options);
  const { terminal } = invocation;
  const log = logOf(options, terminal);
  await untilSignal((signal) => run(options, state, { terminal, log, signal }), { log });
};

/** Returns the saved state, or undefined if there is none. An invalid file ends the program with exit code 2. */
function stateOf({ stateFile }: ProgramOptions): State | undefined {
  try {
    return stateFile === undefined ? undefined : readStateFile(stateFile);
  } catch (error) {
    throw isApiError(error) ? new Failure(error.message, { exitCode: 2, cause: error }) : error;
  }
}

interface RunContext {
  readonly terminal: Terminal;
  readonly log: Log;
  readonly signal: AbortSignal;
}

async function run(
  options: ProgramOptions,
  state: State | undefined,
  { terminal, log, signal }: RunContext,
): Promise<void> {
  const { stateFile, nodes, behaviour, seed } = options;
  const simulator = new Simulator({
    clock: systemClock,
    random: new SeededRandom(seed),
    log,
    nodes,
    behaviour,
    ...(state && { state }),
  });
  if (!state) {
    const deployed = deployServices(simulator.platform, options.services);
    if (deployed < options.services) {
      log.write('warn', 'some services do not fit on the nodes', { services: options.services, deployed });
    }
  }
  simulator.link.set({ latencyMs: options.latencyMs, lossPercent: options.lossPercent });
  const server = await simulator.listen(options);
  terminal.out.write(`ecsm-sim listens on ${server.url}\n`);
  const ticker = new Ticker({
    simulator,
    clock: systemClock,
    log,
    ...(stateFile === undefined ? {} : { save: (kept: State) => writeStateFile(stateFile, kept) }),
  });
  ticker.start();
  await aborted(signal);
  ticker.stop();
  await simulator.close();
  ticker.save();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function logOf({ logFormat, quiet }: ProgramOptions, { err }: Terminal): Log {
  const options = { write: (line: string) => err.write(line), level: quiet ? 'warn' : 'info' } as const;
  return logFormat === 'json' ? jsonLog(options) : readableLog({ ...options, colour: err.isColoured });
}
