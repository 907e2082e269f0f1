/** The options of a client, validated once: a timeout of NaN, for example, would never fire. */
import { ApiError, type Clock, type Log, type Random, silentLog, systemClock, systemRandom } from '@ecsm/runtime';
import type { Recorder } from './recorder.ts';
import type { Transport } from './transport.ts';

export type Headers = Readonly<Record<string, string>>;

export interface RestOptions {
  readonly transport: Transport;
  /** Prefix of every path. Default: `/api/v1`. */
  readonly basePath?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Receives every attempt at level `debug`, without bodies. Default: silent. */
  readonly log?: Log;
  /** For one attempt, from its start to the last byte of its response. Default: 10,000. */
  readonly timeoutMs?: number;
  /** For the whole call, including retries and backoff. Default: 30,000. */
  readonly deadlineMs?: number;
  /** Maximum attempts of a call that may be repeated. 1 disables retries. Default: 3. */
  readonly attemptsMax?: number;
  /** Maximum size of a response, which is held in memory. Default: 64 MiB. */
  readonly responseBytesMax?: number;
  /** Maximum length of path and query; servers have limits (Node.js: 16 KiB with the headers). Default: 8,000. */
  readonly targetBytesMax?: number;
  /** Headers for every request, called before each attempt. Use it for authentication. */
  readonly headers?: () => Headers | Promise<Headers>;
  readonly recorder?: Recorder;
}

/** The options with their defaults. */
export interface RestSettings extends Required<Omit<RestOptions, 'headers' | 'recorder'>> {
  readonly headers: RestOptions['headers'] | undefined;
  readonly recorder: Recorder | undefined;
}

/** Node.js fires a longer timer immediately. */
const timerMsMax = 2 ** 31 - 1;

export function settingsOf(options: RestOptions): RestSettings {
  return {
    transport: options.transport,
    basePath: checkBasePath(options.basePath ?? '/api/v1'),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? silentLog,
    timeoutMs: checkTime('timeoutMs', options.timeoutMs ?? 10_000),
    deadlineMs: checkTime('deadlineMs', options.deadlineMs ?? 30_000),
    attemptsMax: checkCount('attemptsMax', options.attemptsMax ?? 3),
    responseBytesMax: checkCount('responseBytesMax', options.responseBytesMax ?? 64 * 1024 * 1024),
    targetBytesMax: checkCount('targetBytesMax', options.targetBytesMax ?? 8_000),
    headers: options.headers,
    recorder: options.recorder,
  };
}

export function checkTime(name: string, valueMs: number): number {
  if (!(valueMs > 0 && valueMs <= timerMsMax))
    throw badRequest(`${name} has to be a number of milliseconds from above 0 to ${timerMsMax}, not ${valueMs}`);
  return valueMs;
}

export function checkCount(name: string, value: number): number {
  if (!(Number.isSafeInteger(value) && value > 0))
    throw badRequest(`${name} has to be a whole number above 0, not ${value}`);
  return value;
}

export function badRequest(reason: string, cause?: unknown): ApiError<'BadRequest'> {
  return new ApiError('BadRequest', { reason }, cause);
}

function checkBasePath(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed !== '' && !/^(?:\/[\w.~%!$&'()*+,;=:@-]+)+$/.test(trimmed))
    throw badRequest(`basePath has to be a path such as /api/v1, not ${JSON.stringify(path.slice(0, 100))}`);
  return trimmed;
}
