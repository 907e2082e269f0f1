#!/usr/bin/env node
/** The operator as a program: `ecsm-operator`. */
import process from 'node:process';
import { isApiError, jsonLog, type Log, type LogLevel, readableLog, sampledLog, untilSignal } from '@ecsm/runtime';
import { withEquipment } from './equipment.ts';
import { helpText } from './flags.ts';
import { once } from './once.ts';
import { type Command, type ProgramOptions, parseCommand } from './options.ts';
import { plans } from './plan.ts';
import { run } from './run.ts';
import { programVersion } from './version.ts';
import { Wrong } from './wrong.ts';

const exitCodes = { fine: 0, failed: 1, senseless: 2 } as const;

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await carryOut(await parseCommand(argv, process.env));
  } catch (error) {
    if (error instanceof Wrong) {
      complain(`${error.message}\nTry: ecsm-operator --help`);
      return exitCodes.senseless;
    }
    if (!isApiError(error)) throw error;
    complain(error.message);
    return exitCodes.failed;
  }
}

async function carryOut(command: Command): Promise<number> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText());
      return exitCodes.fine;
    case 'version':
      process.stdout.write(`${programVersion()}\n`);
      return exitCodes.fine;
    case 'run':
      return carryOutRun(command.options);
    case 'once':
      return carryOutOnce(command.options);
    case 'plan':
      return carryOutPlan(command);
  }
}

function carryOutRun(options: ProgramOptions): Promise<number> {
  const log = logOf(options);
  return untilSignal(
    async (signal) => {
      await withEquipment(options, log, (equipment) => run(equipment, options, log, signal));
      return exitCodes.fine;
    },
    { log },
  );
}

function carryOutOnce(options: ProgramOptions): Promise<number> {
  const log = logOf(options);
  return untilSignal(
    async (signal) => {
      const outcome = await withEquipment(options, log, (equipment) => once(equipment, options, log, signal));
      const { services, unsettled, interrupted } = outcome;
      if (unsettled.length === 0) {
        const all = services === 1 ? 'the 1 service is as it' : `all ${services} services are as they`;
        process.stdout.write(`${all} should be\n`);
        return exitCodes.fine;
      }
      const why = interrupted ? 'it was stopped' : `the ${options.timeoutMs / 1000} s are over`;
      const lines = unsettled.map(({ namespace, name, why: reason }) => `${namespace}/${name}: ${reason}`);
      complain(
        [`${why}, and ${lines.length} of ${services} services are not as they should be:`, ...lines].join('\n  '),
      );
      return exitCodes.failed;
    },
    { log },
  );
}

async function carryOutPlan({ options, names }: Extract<Command, { readonly kind: 'plan' }>): Promise<number> {
  // What it prints is for people or for a pipe; the log of a plan is of interest only when something is wrong.
  const log = logOf(options, 'warn');
  await withEquipment(options, log, async (equipment) => {
    for await (const text of plans(equipment, names)) process.stdout.write(text);
  });
  return exitCodes.fine;
}

function logOf({ logFormat, logLevel }: ProgramOptions, quietest: LogLevel = 'debug'): Log {
  const level = quietest === 'warn' && logLevel === 'info' ? 'warn' : logLevel;
  const options = { write: (line: string) => void process.stderr.write(line), level };
  return sampledLog(logFormat === 'json' ? jsonLog(options) : readableLog({ ...options, colour: hasColour() }));
}

function hasColour(): boolean {
  return process.stderr.isTTY === true && !process.env['NO_COLOR'];
}

function complain(text: string): void {
  process.stderr.write(`ecsm-operator: ${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
