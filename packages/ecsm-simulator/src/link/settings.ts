/** The faults of a link. By default there are none. */
import { ApiError } from '@ecsm/runtime';

export interface LinkSettings {
  /** Latency of a call in milliseconds: half before the platform receives it, half after. Default 0. */
  readonly latencyMs: number;
  /** Maximum additional random latency in milliseconds. Default 0. */
  readonly latencyJitterMs: number;
  /** Percent of lost requests: the call is not executed, and the caller gets no response. Default 0. */
  readonly lossPercent: number;
  /** Percent of lost responses: the call is executed, and the caller gets no response. Default 0. */
  readonly answerLossPercent: number;
  /** Percent of responses whose body is truncated and whose connection is closed. Default 0. */
  readonly truncatePercent: number;
  /** Bandwidth in bytes per second, in each direction and per call. Default 0: unlimited. */
  readonly bytesPerSecond: number;
  /** Percent of requests that a proxy answers with an HTML page. Default 0. */
  readonly errorPercent: number;
  /** HTTP status of those pages. Default 503. */
  readonly errorStatus: number;
  /** Number of next requests that get such a page. Default 0. */
  readonly errorsLeft: number;
  /** Number of next requests that are lost. Default 0. */
  readonly requestsToLose: number;
  /** Number of next responses that are lost. Default 0. */
  readonly answersToLose: number;
  /** While true, the platform holds all requests; afterwards it executes them in order. Default false. */
  readonly frozen: boolean;
  /** Only these calls are affected. Default null: all calls. */
  readonly match: CallMatch | null;
}

export interface CallMatch {
  /** In upper case: `GET`. */
  readonly method?: string;
  /** Prefix of the path: `/api/v1/service`. */
  readonly path?: string;
}

export const healthyLink: LinkSettings = {
  latencyMs: 0,
  latencyJitterMs: 0,
  lossPercent: 0,
  answerLossPercent: 0,
  truncatePercent: 0,
  bytesPerSecond: 0,
  errorPercent: 0,
  errorStatus: 503,
  errorsLeft: 0,
  requestsToLose: 0,
  answersToLose: 0,
  frozen: false,
  match: null,
};

/** An hour. */
const latencyMsMax = 3_600_000;

type NumberSetting = { [S in keyof LinkSettings]: LinkSettings[S] extends number ? S : never }[keyof LinkSettings];

interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

const percent: Range = { min: 0, max: 100, whole: false };
const count: Range = { min: 0, max: 1_000_000_000, whole: true };
const latency: Range = { min: 0, max: latencyMsMax, whole: true };

const ranges: Readonly<Record<NumberSetting, Range>> = {
  latencyMs: latency,
  latencyJitterMs: latency,
  lossPercent: percent,
  answerLossPercent: percent,
  truncatePercent: percent,
  bytesPerSecond: count,
  errorPercent: percent,
  errorStatus: { min: 400, max: 599, whole: true },
  errorsLeft: count,
  requestsToLose: count,
  answersToLose: count,
};

/** Returns the changed settings. Throws `BadRequest` if a number is out of range. */
export function changedSettings(settings: LinkSettings, change: Partial<LinkSettings>): LinkSettings {
  for (const [name, { min, max, whole }] of Object.entries(ranges)) {
    const value = Object.hasOwn(change, name) ? Reflect.get(change, name) : undefined;
    if (value === undefined) continue;
    const fits = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
    if (fits) continue;
    const wanted = whole ? 'a whole number' : 'a number';
    throw new ApiError('BadRequest', { reason: `${name} has to be ${wanted} from ${min} to ${max}, not ${value}` });
  }
  return { ...settings, ...change };
}
