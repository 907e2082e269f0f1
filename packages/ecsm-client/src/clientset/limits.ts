/** Request limits of an `Ecsm`, validated once, and splitting of long id lists to keep them. */
import { Buffer } from 'node:buffer';
import type { Clock } from '@ecsm/runtime';
import { badRequest, checkCount } from '../rest/options.ts';

interface RequestLimits {
  readonly pageSize: number;
  readonly pageSizeMax: number;
  readonly targetBytesMax: number;
}

export interface ClientLimits extends RequestLimits {
  /** Default deadline of one call: that of the `RestClient`. */
  readonly callDeadlineMs: number;
  /** Default deadline of a list with all its pages. */
  readonly listDeadlineMs: number;
  readonly clock: Clock;
}

/** Reserved for address prefix, path, page number and page size of a request with ids. */
const targetReserveBytes = 200;

export function checkLimits<Limits extends RequestLimits>(limits: Limits): Limits {
  const { pageSize, pageSizeMax, targetBytesMax } = limits;
  for (const [name, value] of Object.entries({ pageSize, pageSizeMax, targetBytesMax })) checkCount(name, value);
  checkPageSize(pageSize, limits);
  return limits;
}

export function checkPageSize(pageSize: number, { pageSizeMax }: RequestLimits): number {
  checkCount('pageSize', pageSize);
  if (pageSize > pageSizeMax)
    throw badRequest(`pageSize has to be at most pageSizeMax (${pageSizeMax}), not ${pageSize}`);
  return pageSize;
}

export function checkPageNum(pageNum: number): number {
  return checkCount('pageNum', pageNum);
}

/**
 * Splits unique ids into groups that fit as `name[]=a&name[]=b…` into one request target. An id that is too long by
 * itself gets its own group; the request layer rejects it.
 */
export function groupsOf(
  name: string,
  ids: readonly string[],
  { targetBytesMax }: RequestLimits,
  otherBytes = 0,
): string[][] {
  const capacityBytes = targetBytesMax - targetReserveBytes - otherBytes;
  const groups: string[][] = [];
  let usedBytes = Number.POSITIVE_INFINITY;
  for (const id of new Set(ids)) {
    const bytes = `&${name}%5B%5D=`.length + encodedBytes(id);
    let group = groups.at(-1);
    if (group === undefined || usedBytes + bytes > capacityBytes) {
      group = [];
      groups.push(group);
      usedBytes = 0;
    }
    group.push(id);
    usedBytes += bytes;
  }
  return groups;
}

/** Upper bound of the encoded length. Does not encode, because that throws for half a surrogate pair. */
export function encodedBytes(text: string): number {
  return text.replace(/[^\w.-]/g, '').length + 3 * Buffer.byteLength(text.replace(/[\w.-]/g, ''));
}
