#!/usr/bin/env node
/** The simulated platform as a program: `ecsm-sim`. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isApiError, jsonLog, type Log, readableLog, systemClock, untilSignal } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Simulator } from '../http/simulator.ts';
import type { State } from '../platform/model.ts';
import { type CallCommand, call } from './call.ts';
import { helpText } from './flags.ts';
import { type ProgramOptions, parseCommandLine } from './options.ts';
import { Pulse } from './pulse.ts';
import { deployServices } from './starting-load.ts';
import { readStateFile, writeStateFile } from './state-file.ts';

const exitCodes = { fine: 0, failed: 1, senseless: 2 } as const;

async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommandLine(argv);
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText());
      return exitCodes.fine;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return exitCodes.fine;
    case 'wrong':
      complain(`${command.complaint}\nTry: ecsm-sim --help`);
      return exitCodes.senseless;
    case 'call':
      return callOnce(command.command);
    case 'run':
      return begin(command.options);
  }
}

async function callOnce(command: CallCommand): Promise<number> {
  try {
    const { status, text } = await call(command);
    process.stdout.write(`${text}\n`);
    return status < 400 ? exitCodes.fine : exitCodes.failed;
  } catch (error) {
    if (!isApiError(error)) throw error;
    complain(error.message);
    return exitCodes.failed;
  }
}

async function begin(options: ProgramOptions): Promise<number> {
  const state = stateOf(options);
  if (typeof state === 'string') {
    complain(state);
    return exitCodes.senseless;
  }
  try {
    await run(options, state);
    return exitCodes.fine;
  } catch (error) {
    if (!isApiError(error)) throw error;
    complain(error.message);
    return exitCodes.failed;
  }
}

/** The state that was kept, undefined if none was, or what is wrong with it. */
function stateOf({ stateFile }: ProgramOptions): State | undefined | string {
  try {
    return stateFile === undefined ? undefined : readStateFile(stateFile);
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}

function run(options: ProgramOptions, state: State | undefined): Promise<void> {
  const log = logOf(options);
  return untilSignal(
    async (signal) => {
      const { stateFile, nodes, behaviour, seed } = options;
      const simulator = new Simulator({
        clock: systemClock,
        random: new SeededRandom(seed),
        log,
        nodes,
        behaviour,
        ...(state && { state }),
      });
      if (!state) deployServices(simulator.platform, options.services);
      simulator.link.set({ latencyMs: options.latencyMs, lossPercent: options.lossPercent });
      const server = await simulator.listen(options);
      process.stdout.write(`ecsm-sim listens on ${server.url}\n`);
      const pulse = new Pulse({
        simulator,
        clock: systemClock,
        log,
        ...(stateFile === undefined ? {} : { save: (kept: State) => writeStateFile(stateFile, kept) }),
      });
      pulse.start();
      await aborted(signal);
      pulse.stop();
      await simulator.close();
      pulse.save();
    },
    { log },
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function logOf({ logFormat, quiet }: ProgramOptions): Log {
  const options = {
    write: (line: string) => void process.stderr.write(line),
    level: quiet ? 'warn' : 'info',
  } as const;
  return logFormat === 'json' ? jsonLog(options) : readableLog({ ...options, colour: process.stderr.isTTY });
}

/** Only what was bundled has it: that lies nowhere near its package.json. */
declare const __ECSM_VERSION__: string | undefined;

function version(): string {
  if (typeof __ECSM_VERSION__ === 'string') return __ECSM_VERSION__;
  const description: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const isDescription = typeof description === 'object' && description !== null && 'version' in description;
  return isDescription ? String(description.version) : 'unknown';
}

function complain(text: string): void {
  process.stderr.write(`ecsm-sim: ${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
