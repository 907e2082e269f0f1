/** What the program was told, by flags, variables and the config file, checked and put together. */
import { defaultStoreUrl, isApiError, type LogLevel, parseStoreUrl } from '@ecsm/runtime';
import { stopGraceMs } from '../controller/settings.ts';
import { readCommandLine, type Said, type Sayings } from './command-line.ts';
import { readConfigFile } from './config-file.ts';
import { flags } from './flags.ts';
import { headersOf, listenOf, platformUrlOf, secondsOf, serviceNameOf, wholeNumberOf, wordOf } from './values.ts';
import { Wrong } from './wrong.ts';

export interface ProgramOptions {
  /** May hold a password. */
  readonly registry: string;
  readonly ecsm: string;
  /** Secret. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of a file. */
  readonly tlsCa?: string;
  /** Absent: nothing is served. */
  readonly listen?: { readonly host: string; readonly port: number };
  readonly observeMs: number;
  readonly inFlightMax: number;
  readonly workers: number;
  readonly callTimeoutMs: number;
  readonly leaderElect: boolean;
  /** Of the lease that a leader holds, with `leaderElect`. */
  readonly leaseMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'readable' | 'json';
  /** How long `--once` tries. */
  readonly timeoutMs: number;
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

export type Command =
  | { readonly kind: 'run' | 'once'; readonly options: ProgramOptions }
  | { readonly kind: 'plan'; readonly options: ProgramOptions; readonly names: readonly ServiceName[] | 'all' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** A third of the lease is left when a leader's term ends, and that has to be longer than the grace of a stop. */
const leaseSecondsMin = (3 * stopGraceMs) / 1000 + 1;
const leaseSecondsMax = 3_600;
const logLevels = ['debug', 'info', 'warn', 'error'] as const;
const logFormats = ['readable', 'json'] as const;

/** Throws `Wrong` with one sentence that names the flag, the variable or the place in the config file. */
export async function parseCommand(argv: readonly string[], environment: Environment): Promise<Command> {
  const { command, names, said } = readCommandLine(argv);
  if (said.has('help')) return { kind: 'help' };
  if (said.has('version')) return { kind: 'version' };
  const kind = command === 'run' && said.has('once') ? 'once' : command;
  checkTogether(kind, said);
  const all = await withOtherSources(said, environment);
  const options = optionsOf(all, environment, kind);
  return kind === 'plan' ? { kind, options, names: namesOf(names, said.has('all')) } : { kind, options };
}

function checkTogether(kind: 'run' | 'once' | 'plan', said: Sayings): void {
  if (kind === 'plan' && said.has('once')) throw new Wrong('--once is not for plan, which changes nothing');
  if (kind !== 'plan' && said.has('all')) throw new Wrong('--all is for plan: ecsm-operator plan --all');
  if (kind !== 'once' && said.has('timeout-seconds')) throw new Wrong('--timeout-seconds is for --once');
}

/** Flags go before variables, and variables before the config file. */
async function withOtherSources(said: Sayings, environment: Environment): Promise<Sayings> {
  const variables = fromEnvironment(environment);
  const config = said.get('config') ?? variables.get('config');
  const file = config === undefined ? new Map<string, Said>() : await readConfigFile(nonEmpty(config), config.from);
  return new Map([...file, ...variables, ...said]);
}

/** A variable that is empty says nothing. */
function fromEnvironment(environment: Environment): Sayings {
  const said = new Map<string, Said>();
  for (const { name, variable, repeats } of flags) {
    const text = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || text === undefined || text === '') continue;
    const texts = repeats ? text.split('\n').filter((line) => line.trim() !== '') : [text];
    said.set(name, { texts, from: variable });
  }
  return said;
}

function optionsOf(all: Sayings, environment: Environment, kind: 'run' | 'once' | 'plan'): ProgramOptions {
  const given = <T>(name: string, read: (said: Said) => T, fallback: T): T => {
    const said = all.get(name);
    return said === undefined ? fallback : read(said);
  };
  const tlsCa = given('tls-ca', nonEmpty, undefined);
  const ecsm = given('ecsm', platformUrlOf, 'http://127.0.0.1:3001');
  if (tlsCa !== undefined && !ecsm.startsWith('https:')) {
    throw new Wrong(`${all.get('tls-ca')?.from} needs a platform with https://, and ${ecsm} is none`);
  }
  const leaderElect = given('leader-elect', wordOf(['true', 'false']), 'false') === 'true';
  const leaseMs = given('lease-seconds', secondsOf(leaseSecondsMin, leaseSecondsMax), 15_000);
  const callTimeoutMs = given('call-timeout-seconds', secondsOf(0.1, 600), 10_000);
  if (leaderElect && kind !== 'plan') checkLease(callTimeoutMs, leaseMs, (name) => all.get(name)?.from ?? `--${name}`);
  const listen = given('listen', listenOf, kind === 'run' ? { host: '127.0.0.1', port: 8090 } : undefined);
  return {
    registry: registryOf(all.get('registry'), environment),
    ecsm,
    headers: given('header', headersOf, {}),
    ...(tlsCa === undefined ? {} : { tlsCa }),
    ...(listen === undefined ? {} : { listen }),
    observeMs: given('observe-seconds', secondsOf(1, 3_600), 15_000),
    inFlightMax: given('in-flight', wholeNumberOf(1, 64), 4),
    workers: given('workers', wholeNumberOf(1, 64), 16),
    callTimeoutMs,
    leaderElect,
    leaseMs,
    logLevel: given('log-level', wordOf(logLevels), 'info'),
    logFormat: given('log-format', wordOf(logFormats), 'readable'),
    timeoutMs: given('timeout-seconds', secondsOf(1, 86_400), 300_000),
  };
}

/**
 * A call that was sent while the lease was held, and the grace of a stop, end before another operator may take over.
 * Throws `Wrong`.
 */
function checkLease(callTimeoutMs: number, leaseMs: number, originOf: (name: string) => string): void {
  const takesMs = callTimeoutMs + stopGraceMs;
  if (takesMs < leaseMs) return;
  const [call, lease] = [originOf('call-timeout-seconds'), originOf('lease-seconds')];
  const sum = `${call} (${callTimeoutMs / 1000} s) + ${stopGraceMs / 1000} s to stop = ${takesMs / 1000} s`;
  const remedy = `set ${lease} above ${takesMs / 1000}, or ${call} below ${(leaseMs - stopGraceMs) / 1000}`;
  throw new Wrong(
    `with --leader-elect, ${sum} has to be less than ${lease} (${leaseMs / 1000} s), or two operators could act at once: ${remedy}`,
  );
}

function registryOf(said: Said | undefined, environment: Environment): string {
  try {
    const url = said === undefined ? defaultStoreUrl({ ...environment, ECSM_REGISTRY: undefined }) : nonEmpty(said);
    parseStoreUrl(url);
    return url;
  } catch (error) {
    if (!isApiError(error)) throw error;
    throw new Wrong(said === undefined ? error.message : `${said.from}: ${error.message}`);
  }
}

function nonEmpty({ texts: [text = ''], from }: Said): string {
  if (text === '') throw new Wrong(`${from} is empty`);
  return text;
}

function namesOf(names: readonly string[], all: boolean): readonly ServiceName[] | 'all' {
  if (all && names.length > 0) throw new Wrong('plan takes names or --all, not both');
  if (all) return 'all';
  if (names.length === 0) throw new Wrong('plan needs the name of a service, or --all');
  return names.map(serviceNameOf);
}
