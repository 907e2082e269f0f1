/** The options of the program, read from flags, variables and the config file, and validated. */
import { delimiter } from 'node:path';
import { addressOf, type Call, readSettings, secondsOf, UsageError, wholeNumberOf } from '@ecsm/command-line';
import { type LogLevel, readManifests } from '@ecsm/runtime';
import { flags } from './flags.ts';

export interface ProgramOptions {
  readonly isOnce: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** Absent: nothing is served. */
  readonly listen?: { readonly host: string; readonly port: number };
  readonly workers: number;
  readonly healthMs: number;
  readonly callTimeoutMs: number;
  /** Of the pods of backups and restores. */
  readonly workerImage: string;
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  readonly leaseMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'readable' | 'json';
  /** Timeout of `--once`. */
  readonly timeoutMs: number;
}

/** The third of it that is left when a leader's term ends has to be longer than the 4 s that a stop may take. */
const leaseSecondsMin = 13;

/** Throws `UsageError`, naming the flag, the variable or the place in the config file. */
export async function runOptions(call: Call): Promise<ProgramOptions> {
  const isOnce = call.flag('once') !== undefined;
  if (!isOnce && call.origin('timeout-seconds') !== undefined)
    throw new UsageError('--timeout-seconds requires --once');
  const settings = await readSettings(call, flags, { fileFlag: 'config', fileNames: [], readDocuments: readManifests });
  const text = (name: string) => settings.get(name) ?? '';
  const originOf = (name: string) => settings.origin(name) ?? `--${name}`;
  const seconds = (name: string, minimum: number, maximum: number) =>
    secondsOf(text(name), originOf(name), minimum, maximum);
  const given = (name: 'kubeconfig' | 'context' | 'namespace') => {
    const value = settings.get(name);
    return value === undefined ? {} : { [name]: value };
  };
  const { kubeconfig } = given('kubeconfig');
  if (kubeconfig !== undefined) await checkKubeconfig(call, kubeconfig, originOf('kubeconfig'));
  const listen = listenOf(settings.get('listen') ?? (isOnce ? 'off' : '127.0.0.1:8092'), originOf('listen'));
  return {
    isOnce,
    ...given('kubeconfig'),
    ...given('context'),
    ...given('namespace'),
    ...(listen === undefined ? {} : { listen }),
    workers: wholeNumberOf(text('workers'), originOf('workers'), 1, 64),
    healthMs: seconds('health-seconds', 1, 3_600),
    callTimeoutMs: seconds('call-timeout-seconds', 0.1, 60),
    workerImage: text('worker-image'),
    leaderElect: settings.get('leader-elect') !== undefined,
    leaseNamespace: text('lease-namespace'),
    leaseMs: seconds('lease-seconds', leaseSecondsMin, 3_600),
    // The table of flags has no other choices.
    logLevel: text('log-level') as LogLevel,
    logFormat: text('log-format') as ProgramOptions['logFormat'],
    timeoutMs: seconds('timeout-seconds', 1, 86_400),
  };
}

/** Returns undefined for `off`. In a pod, probes and Prometheus come from other machines. */
function listenOf(text: string, from: string): ProgramOptions['listen'] {
  return text === 'off' ? undefined : addressOf(text, from, 'off');
}

/** Several files are merged, and missing ones are ignored, as kubectl does it; but one has to exist. */
async function checkKubeconfig({ terminal: { files } }: Call, paths: string, from: string): Promise<void> {
  for (const path of paths.split(delimiter)) {
    if (path !== '' && (await files.read(path)) !== undefined) return;
  }
  throw new UsageError(`${from}: there is no file "${paths}"`);
}
