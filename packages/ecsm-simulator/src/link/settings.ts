/** How bad a link is. Every setting is 0, off or nothing by default: a healthy link. */
import { ApiError } from '@ecsm/runtime';

export interface LinkSettings {
  /** Milliseconds that a call spends on its way: half of it before the platform sees it, half after. Default 0. */
  readonly latencyMs: number;
  /** Up to so many milliseconds more, by chance. Default 0. */
  readonly latencyJitterMs: number;
  /** Percent of requests that never arrive: the caller hears nothing, and nothing was done. Default 0. */
  readonly lossPercent: number;
  /** Percent of answers that never arrive: the caller hears nothing, and yet it was done. Default 0. */
  readonly answerLossPercent: number;
  /** Percent of answers whose body ends in the middle, and the connection with it. Default 0. */
  readonly truncatePercent: number;
  /** Bytes a second that go through, in each direction and for each call. Default 0: no limit. */
  readonly bytesPerSecond: number;
  /** Percent of requests that a proxy answers with a page of HTML instead of passing them on. Default 0. */
  readonly errorPercent: number;
  /** HTTP status of those pages. Default 503. */
  readonly errorStatus: number;
  /** The next so many requests get such a page. Default 0. */
  readonly errorsLeft: number;
  /** The next so many requests never arrive. Default 0. */
  readonly requestsToLose: number;
  /** The next so many answers never arrive. Default 0. */
  readonly answersToLose: number;
  /** While true, the platform does not touch what arrives; afterwards it deals with all of it, in order. Default false. */
  readonly frozen: boolean;
  /** Only these calls meet any of this; the others pass freely. Default null: all calls. */
  readonly match: CallMatch | null;
}

export interface CallMatch {
  /** `GET`, in capitals. */
  readonly method?: string;
  /** How the path begins: `/api/v1/service`. */
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

/** An hour: longer than any caller waits, and far below what a timer can hold. */
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

/** The settings after a change. Throws `BadRequest` where a number is out of its range. */
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
