/** Fetches pages of a list that is read repeatedly: only what has changed since the last time is transferred or parsed. */
import { type Shape, shape } from '@ecsm/runtime';
import { readResponse } from '../rest/envelope.ts';
import type { CallSubject } from '../rest/errors.ts';
import type { RequestBuilder } from '../rest/request.ts';
import type { WireResponse } from '../rest/transport.ts';
import { type CallOptions, withOptions } from './call.ts';
import type { ListedRow, ListMemory } from './list-memory.ts';
import { type Page, wirePage } from './pages.ts';
import { rowSlicesOf } from './row-slices.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

type ChangedPage<Row> = Page<ListedRow<Row>> & { readonly hashes: readonly number[] };

export async function fetchChanged<Row extends { readonly id: string }>(
  request: RequestBuilder,
  pageNum: number,
  pageSize: number,
  options: CallOptions,
  row: Shape<Row>,
  memory: ListMemory,
): Promise<Page<ListedRow<Row>>> {
  const page = `${pageNum}/${pageSize}`;
  const known = memory.taggedPage(page);
  const numbered = withOptions(request.param('pageNum', pageNum).param('pageSize', pageSize), options);
  const conditional = known === undefined ? numbered : numbered.header('if-none-match', known.tag);
  return conditional.doRead((response, subject) => {
    if (known !== undefined && response.status === 304) {
      memory.unchanged(page, known);
      return { list: known.keys.map((key) => ({ key })), total: known.total };
    }
    const { list, total, hashes } = readPage(response, subject, row, memory);
    const keys = list.map(({ key }) => key);
    memory.received(page, { keys, hashes, total }, response.headers['etag'], known?.tag);
    return { list, total };
  });
}

function readPage<Row extends { readonly id: string }>(
  response: WireResponse,
  subject: CallSubject,
  row: Shape<Row>,
  memory: ListMemory,
): ChangedPage<Row> {
  const changed = readRows(response, subject, row, memory);
  if (changed !== undefined) return changed;
  const { list, total } = readResponse(response, subject, wirePage(row));
  return { list: (list ?? []).map((one) => ({ key: one.id, row: one })), total, hashes: [] };
}

/** Returns undefined if the whole response has to be parsed, perhaps to find what is wrong with it. */
function readRows<Row extends { readonly id: string }>(
  response: WireResponse,
  subject: CallSubject,
  row: Shape<Row>,
  memory: ListMemory,
): ChangedPage<Row> | undefined {
  const slices = rowSlicesOf(response.body);
  if (slices === undefined) return undefined;
  const { list: empty, total } = readResponse({ ...response, body: slices.envelope }, subject, wirePage(row));
  // Another list of the same name, of which a parser uses the last.
  if (empty?.length !== 0) return undefined;
  const list: ListedRow<Row>[] = [];
  for (const { start, end, hash } of slices.rows) {
    const key = memory.keyOf(hash);
    const value = key === undefined ? parsed(response.body.subarray(start, end)) : undefined;
    if (key !== undefined) list.push({ key });
    else if (isRow(row, value)) list.push({ key: value.id, row: value });
    else return undefined;
  }
  return { list, total, hashes: slices.rows.map(({ hash }) => hash) };
}

function isRow<Row>(row: Shape<Row>, value: unknown): value is Row {
  return shape.complaint(row, value, 'data') === undefined;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
