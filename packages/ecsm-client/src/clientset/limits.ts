/** The limits of the requests that one `Ecsm` makes, checked once, and how a long list of ids is split to keep them. */
import { Buffer } from 'node:buffer';
import { ApiError, type Clock } from '@ecsm/runtime';

export interface RequestLimits {
  readonly pageSize: number;
  readonly pageSizeMax: number;
  readonly targetBytesMax: number;
}

export interface ClientLimits extends RequestLimits {
  /** For one call that says nothing else: that of the `RestClient`. */
  readonly callDeadlineMs: number;
  /** For a list with all its pages that says nothing else. */
  readonly listDeadlineMs: number;
  readonly clock: Clock;
}

/** Address prefix, path, page number and size of a request that also carries ids. */
const targetReserveBytes = 200;

export function checkLimits<Limits extends RequestLimits>(limits: Limits): Limits {
  const { pageSize, pageSizeMax, targetBytesMax } = limits;
  for (const [name, value] of Object.entries({ pageSize, pageSizeMax, targetBytesMax })) checkCount(name, value);
  checkPageSize(pageSize, limits);
  return limits;
}

export function checkPageSize(pageSize: number, { pageSizeMax }: RequestLimits): number {
  checkCount('pageSize', pageSize);
  if (pageSize > pageSizeMax) throw refused('pageSize', `at most pageSizeMax (${pageSizeMax})`, pageSize);
  return pageSize;
}

export function checkPageNum(pageNum: number): number {
  return checkCount('pageNum', pageNum);
}

export function checkCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw refused(name, 'a whole number above 0', value);
}

function refused(name: string, expected: string, value: number): ApiError {
  return new ApiError('BadRequest', { reason: `${name} has to be ${expected}, not ${value}` });
}

/**
 * Groups of ids, each short enough for `name[]=a&name[]=b…` in one request target. Each id comes once. An id that is too
 * long by itself is in a group of its own; the request layer has the last word on it.
 */
export function groupsOf(
  name: string,
  ids: readonly string[],
  { targetBytesMax }: RequestLimits,
  otherBytes = 0,
): string[][] {
  const roomBytes = targetBytesMax - targetReserveBytes - otherBytes;
  const groups: string[][] = [];
  let usedBytes = Number.POSITIVE_INFINITY;
  for (const id of new Set(ids)) {
    const bytes = `&${name}%5B%5D=`.length + encodedBytes(id);
    let group = groups.at(-1);
    if (group === undefined || usedBytes + bytes > roomBytes) {
      group = [];
      groups.push(group);
      usedBytes = 0;
    }
    group.push(id);
    usedBytes += bytes;
  }
  return groups;
}

/** At most this many bytes in a query. Counted, not encoded: half a surrogate pair has a length, and no encoding. */
export function encodedBytes(text: string): number {
  return text.replace(/[^\w.-]/g, '').length + 3 * Buffer.byteLength(text.replace(/[\w.-]/g, ''));
}
