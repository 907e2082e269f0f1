/** The options of the program, read from flags, variables and the config file, and validated. */
import { join } from 'node:path';
import {
  addressOf,
  type Call,
  httpHeadersOf,
  httpUrlOf,
  readSettings,
  type Settings,
  secondsOf,
  UsageError,
  wholeNumberOf,
} from '@ecsm/command-line';
import { defaultStoreUrl, ecsmHome, isApiError, type LogLevel, parseStoreUrl, readManifests } from '@ecsm/runtime';
import { stopGraceMs } from '../controller/settings.ts';
import { flags } from './flags.ts';

export interface ProgramOptions {
  /** May contain a password. */
  readonly registry: string;
  readonly ecsm: string;
  /** Secret. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of a file. */
  readonly tlsCa?: string;
  /** Absent: nothing is served. */
  readonly listen?: { readonly host: string; readonly port: number };
  /** Absent: the Kubernetes API is not served. */
  readonly serve?: ServeOptions;
  readonly observeMs: number;
  readonly linkBudgetBytesPerSecond: number;
  readonly autoscalingMs: number;
  readonly restoreMs: number;
  /** URLs of servers that autoscalers may query. */
  readonly prometheusServers: readonly string[];
  readonly inFlightMax: number;
  readonly workers: number;
  readonly callTimeoutMs: number;
  readonly leaderElect: boolean;
  /** Of the lease that a leader holds, with `leaderElect`. */
  readonly leaseMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'readable' | 'json';
  /** Timeout of `--once`. */
  readonly timeoutMs: number;
}

export interface ServeOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly directory: string;
  readonly names: readonly string[];
  readonly auditFile?: string;
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

type Kind = 'run' | 'once' | 'plan';

/** A third of the lease is left when a leader's term ends, and that has to be longer than the grace of a stop. */
export const leaseSecondsMin = (3 * stopGraceMs) / 1000 + 1;
export const leaseSecondsMax = 3_600;

/** Throws `UsageError`, naming the flag, the variable or the place in the config file. */
export async function runOptions(
  call: Call,
): Promise<{ readonly kind: 'run' | 'once'; readonly options: ProgramOptions }> {
  const kind = call.flag('once') === undefined ? 'run' : 'once';
  for (const flag of ['all', 'show-values']) {
    if (call.flag(flag) !== undefined)
      throw new UsageError(`--${flag} is only valid with plan: ecsm-operator plan --${flag}`);
  }
  checkTimeout(call, kind);
  return { kind, options: await optionsOf(call, kind) };
}

/** Throws `UsageError`, as above. */
export async function planOptions(call: Call): Promise<{
  readonly options: ProgramOptions;
  readonly names: readonly ServiceName[] | 'all';
  readonly showValues: boolean;
}> {
  if (call.flag('once') !== undefined) throw new UsageError('--once is not valid with plan, which changes nothing');
  checkTimeout(call, 'plan');
  const names = namesOf(call.words, call.flag('all') !== undefined);
  return { options: await optionsOf(call, 'plan'), names, showValues: call.flag('show-values') !== undefined };
}

function checkTimeout(call: Call, kind: Kind): void {
  if (kind !== 'once' && call.origin('timeout-seconds') !== undefined)
    throw new UsageError('--timeout-seconds requires --once');
}

async function optionsOf(call: Call, kind: Kind): Promise<ProgramOptions> {
  const settings = await readSettings(call, flags, { fileFlag: 'config', fileNames: [], readDocuments: readManifests });
  const text = (name: string) => settings.get(name) ?? '';
  const originOf = (name: string) => settings.origin(name) ?? `--${name}`;
  const seconds = (name: string, minimum: number, maximum: number) =>
    secondsOf(text(name), originOf(name), minimum, maximum);
  const wholeNumber = (name: string) => wholeNumberOf(text(name), originOf(name), 1, 64);
  const ecsm = text('ecsm');
  const { protocol } = httpUrlOf(ecsm, originOf('ecsm'));
  const tlsCa = settings.get('tls-ca');
  if (tlsCa !== undefined && protocol !== 'https:') {
    throw new UsageError(`${originOf('tls-ca')} requires a platform with https://, not ${ecsm}`);
  }
  const leaderElect = settings.get('leader-elect') !== undefined;
  const leaseMs = seconds('lease-seconds', leaseSecondsMin, leaseSecondsMax);
  const callTimeoutMs = seconds('call-timeout-seconds', 0.1, 600);
  if (leaderElect && kind !== 'plan') checkLease(callTimeoutMs, leaseMs, originOf);
  const listen = listenOf(settings.get('listen') ?? (kind === 'run' ? '127.0.0.1:8090' : 'off'), originOf('listen'));
  const serve = kind === 'run' ? serveOf(settings, originOf, call.terminal.env) : undefined;
  return {
    registry: registryOf(settings.get('registry'), originOf('registry'), call.terminal.env),
    ecsm,
    headers: httpHeadersOf(settings.all('header'), originOf('header')),
    ...(tlsCa === undefined ? {} : { tlsCa }),
    ...(listen === undefined ? {} : { listen }),
    ...(serve === undefined ? {} : { serve }),
    observeMs: seconds('observe-seconds', 1, 3_600),
    linkBudgetBytesPerSecond: wholeNumberOf(text('link-budget'), originOf('link-budget'), 1, 1_000_000_000),
    autoscalingMs: seconds('autoscaling-seconds', 1, 3_600),
    restoreMs: seconds('restore-seconds', 1, 86_400),
    prometheusServers: prometheusServersOf(settings.all('prometheus-server'), originOf('prometheus-server')),
    inFlightMax: wholeNumber('in-flight'),
    workers: wholeNumber('workers'),
    callTimeoutMs,
    leaderElect,
    leaseMs,
    // The table of flags has no other choices.
    logLevel: text('log-level') as LogLevel,
    logFormat: text('log-format') as ProgramOptions['logFormat'],
    timeoutMs: seconds('timeout-seconds', 1, 86_400),
  };
}

/**
 * A call that was sent while the lease was held, and the grace of a stop, end before another operator may take over.
 * Throws `UsageError`.
 */
function checkLease(callTimeoutMs: number, leaseMs: number, originOf: (name: string) => string): void {
  const takesMs = callTimeoutMs + stopGraceMs;
  if (takesMs < leaseMs) return;
  const [call, lease] = [originOf('call-timeout-seconds'), originOf('lease-seconds')];
  const sum = `${call} (${callTimeoutMs / 1000} s) + ${stopGraceMs / 1000} s to stop = ${takesMs / 1000} s`;
  const remedy = `set ${lease} above ${takesMs / 1000}, or ${call} below ${(leaseMs - stopGraceMs) / 1000}`;
  throw new UsageError(
    `with --leader-elect, ${sum} has to be less than ${lease} (${leaseMs / 1000} s), or two operators could act concurrently: ${remedy}`,
  );
}

/** Each once. Throws `UsageError`. */
function prometheusServersOf(urls: readonly string[], from: string): readonly string[] {
  for (const url of urls) httpUrlOf(url, from);
  return [...new Set(urls)];
}

/** Metrics and health are served without a password, so only to this machine. */
const isLoopback = (host: string) => /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host);

/** Returns undefined for `off`. */
function listenOf(text: string, from: string): ProgramOptions['listen'] {
  if (text === 'off') return undefined;
  const { host, port } = addressOf(text, from, 'off');
  if (isLoopback(host)) return { host, port };
  throw new UsageError(
    `${from}: refusing to listen on ${host}: other machines could connect without a password. Use 127.0.0.1, and a proxy with authentication`,
  );
}

/** Throws `UsageError`. */
export function serveOf(
  settings: Pick<Settings, 'get' | 'all'>,
  originOf: (name: string) => string,
  env: Call['terminal']['env'],
): ServeOptions | undefined {
  const [text, auditFile, names] = [settings.get('serve'), settings.get('audit-log'), settings.all('serve-name')];
  if (text === undefined) {
    if (auditFile !== undefined) throw new UsageError(`${originOf('audit-log')} requires --serve`);
    if (names.length > 0) throw new UsageError(`${originOf('serve-name')} requires --serve`);
    return undefined;
  }
  const home = ecsmHome(env);
  if (home === undefined)
    throw new UsageError(`${originOf('serve')}: there is no place for keys: set ECSM_HOME or HOME`);
  const address = addressOf(text, originOf('serve'));
  return { address, directory: join(home, 'pki'), names, ...(auditFile === undefined ? {} : { auditFile }) };
}

/** Throws `UsageError`. */
export function registryOf(given: string | undefined, from: string, env: Call['terminal']['env']): string {
  try {
    const url = given ?? defaultStoreUrl({ ...env, ECSM_REGISTRY: undefined });
    parseStoreUrl(url);
    return url;
  } catch (error) {
    if (!isApiError(error)) throw error;
    throw new UsageError(given === undefined ? error.message : `${from}: ${error.message}`);
  }
}

function namesOf(names: readonly string[], all: boolean): readonly ServiceName[] | 'all' {
  if (all && names.length > 0) throw new UsageError('plan takes names or --all, not both');
  if (all) return 'all';
  if (names.length === 0) throw new UsageError('plan needs the name of a service, or --all');
  return names.map(serviceNameOf);
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const servicePattern = new RegExp(`^(?:(?<namespace>${label})/)?(?<name>${label})$`);

/** `telemetry` or `orbit/telemetry`. */
function serviceNameOf(text: string): ServiceName {
  const found = servicePattern.exec(text)?.groups;
  if (!found) throw new UsageError(`"${text}" is not the name of a service: it has to be NAME or NAMESPACE/NAME`);
  return { namespace: found['namespace'] ?? 'default', name: found['name'] ?? '' };
}
