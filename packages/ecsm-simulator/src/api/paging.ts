/** Paging of lists. Only the rows of the requested page are rendered. */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { Call } from './call.ts';
import { badRequest } from './input.ts';
import type { Query } from './query.ts';

interface Page {
  readonly pageNum: number;
  readonly pageSize: number;
  /** Index of the first row of the page, and of the row after its last. */
  readonly from: number;
  readonly to: number;
}

export function readPage(query: Query, { pageAll, pageSizeMax }: Behaviour): Page {
  const pageNum = requiredInteger(query, 'pageNum');
  const pageSize = requiredInteger(query, 'pageSize');
  const all = pageNum === -1 ? 'pageNum' : pageSize === -1 ? 'pageSize' : undefined;
  if (all !== undefined) {
    if (pageAll === 'refuse') throw badRequest(all, 'should be at least 1');
    return { pageNum, pageSize, from: 0, to: Number.POSITIVE_INFINITY };
  }
  if (pageNum < 1) throw badRequest('pageNum', 'should be at least 1');
  if (pageSize < 1) throw badRequest('pageSize', 'should be at least 1');
  const size = pageSizeMax > 0 ? Math.min(pageSize, pageSizeMax) : pageSize;
  const from = (pageNum - 1) * size;
  return { pageNum, pageSize: size, from, to: from + size };
}

/** Returns the requested page of these rows. A page past the end is empty. */
export function pageOf<Row>(call: Call, rows: readonly Row[], render: (row: Row) => JsonValue): JsonObject {
  const { pageNum, pageSize, from, to } = readPage(call.query, call.behaviour);
  return { list: rows.slice(from, to).map(render), total: rows.length, pageNum, pageSize };
}

function requiredInteger(query: Query, name: string): number {
  const value = query.integer(name);
  if (value === undefined) throw badRequest(name, 'is missing');
  return value;
}
