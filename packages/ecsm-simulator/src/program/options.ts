/** Parses and validates the options of the simulator and of `call`. */
import { addressOf, type Call, UsageError, wholeNumberOf } from '@ecsm/command-line';
import { isProfileName, readSwitch } from '../control/behaviour.ts';
import { type Behaviour, profiles } from '../platform/behaviour.ts';
import type { CallCommand } from './call.ts';

export interface ProgramOptions {
  readonly host: string;
  readonly port: number;
  readonly allowRemote: boolean;
  readonly nodes: number;
  readonly services: number;
  readonly seed: number;
  readonly latencyMs: number;
  readonly lossPercent: number;
  /** The switches of the selected profile, and those that were set. */
  readonly behaviour: Partial<Behaviour>;
  /** Absent: the state is not saved. */
  readonly stateFile?: string;
  readonly logFormat: 'readable' | 'json';
  readonly quiet: boolean;
}

const countsMax = { nodes: 10_000, services: 100_000 } as const;

/** Throws `UsageError`. */
export function optionsOf({ flag, flags }: Call): ProgramOptions {
  const text = (name: string) => flag(name) ?? '';
  const wholeNumber = (name: string, maximum: number) => wholeNumberOf(text(name), `--${name}`, 0, maximum);
  const stateFile = flag('state');
  const profile = flag('profile');
  return {
    ...addressOf(text('listen'), '--listen'),
    allowRemote: flag('allow-remote') !== undefined,
    nodes: wholeNumber('nodes', countsMax.nodes),
    services: wholeNumber('services', countsMax.services),
    seed: wholeNumber('seed', Number.MAX_SAFE_INTEGER),
    latencyMs: wholeNumber('latency', 3_600_000),
    lossPercent: percentOf(text('loss'), '--loss'),
    behaviour: { ...(isProfileName(profile) ? profiles[profile] : {}), ...switchesOf(flags('set')) },
    ...(stateFile === undefined ? {} : { stateFile }),
    logFormat: text('log-format') === 'json' ? 'json' : 'readable',
    quiet: flag('quiet') !== undefined,
  };
}

function percentOf(text: string, from: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 100) return value;
  throw new UsageError(`${from} has to be a percentage from 0 to 100, not "${text}"`);
}

function switchesOf(texts: readonly string[]): Partial<Behaviour> {
  try {
    return Object.assign({}, ...texts.map((text) => readSwitch(text)));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** `call [METHOD] PATH [JSON] [--to URL]`. Throws `UsageError`. */
export function callOf({ words: given, flag }: Call): CallCommand {
  const words = [...given];
  const method = methods.includes(words[0]?.toUpperCase() ?? '') ? (words.shift() ?? '').toUpperCase() : 'GET';
  const [path, body, ...more] = words;
  if (path === undefined || !path.startsWith('/')) {
    throw new UsageError(
      `call requires a path that starts with /, for example: ecsm-sim call POST /sim/nodes/node-1/cut`,
    );
  }
  if (more.length > 0) throw new UsageError(`unexpected argument "${more[0]}": quote the JSON body`);
  const url = flag('to') ?? '';
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new UsageError(`--to has to be the URL of a simulator, for example http://127.0.0.1:3001, not "${url}"`);
  }
  if (body !== undefined) checkJson(body);
  return { method, path, url, ...(body === undefined ? {} : { body }) };
}

function checkJson(body: string): void {
  try {
    JSON.parse(body);
  } catch {
    throw new UsageError(`the body has to be JSON, for example '{"factor":5}', not ${body}`);
  }
}
