/** Writes responses: JSON, as it is or as a Table or PartialObjectMetadata, compressed if it is large. */
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock, Kind } from '@ecsm/runtime';
import type { Negotiated } from '../request/accept.ts';
import { partialListOf, partialOf } from '../response/partial.ts';
import { statusOf } from '../response/status.ts';
import { tableOf, tableOfObject } from '../response/table.ts';
import type { Answer } from '../verbs/call.ts';
import type { Exchange } from './exchange.ts';
import type { HiddenSecrets } from './hidden-secrets.ts';

const compress = promisify(gzip);

/** Smaller responses are not compressed: it costs more time than it saves. As in Kubernetes. */
const gzipBytesMin = 128 * 1024;
/** Fast: clients on slow links gain most from the first level. */
const gzipLevel = 4;

const pieceBytes = 256 * 1024;

type ObjectAnswer = Exclude<Answer, { readonly type: 'text' }>;

/** A shorter text is written together with the headers. */
const textLengthMax = 16 * 1024;

export interface View {
  readonly accept: Negotiated;
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** Ages are those at the time of a response, or of an event of a watch. */
  readonly clock: Pick<Clock, 'now'>;
  /** Of a watch. Undefined: the user may see everything. */
  readonly hidden?: HiddenSecrets | undefined;
}

/** The body of an answer in the representation that the client has asked for. */
export function represent(answer: ObjectAnswer, kind: Kind, { accept, includeObject, clock }: View): object {
  if (answer.type === 'other') return answer.object;
  const options = { includeObject, nowMs: clock.now(), columnDefinitions: true };
  if (answer.type === 'object') {
    const { object } = answer;
    if (accept.as === 'Table') return tableOfObject(kind, object, options);
    return accept.as === 'PartialObjectMetadata' ? partialOf(object) : object;
  }
  if (accept.as === 'Table') return tableOf(kind, answer.list, options);
  if (accept.as === 'PartialObjectMetadataList') return partialListOf(answer.list);
  const { items, resourceVersion, continue: token } = answer.list;
  return {
    apiVersion: kind.apiVersion,
    kind: `${kind.kind}List`,
    metadata: { resourceVersion, ...(token === undefined ? {} : { continue: token }) },
    items,
  };
}

export async function sendJson(exchange: Exchange, code: number, body: unknown, contentType?: string): Promise<void> {
  await sendText(exchange, code, [JSON.stringify(body)], contentType);
}

/** The parts are the body, without the line break that ends it. */
export async function sendText(
  { request, response, headers }: Exchange,
  code: number,
  parts: readonly (string | Uint8Array)[],
  contentType = 'application/json',
): Promise<void> {
  headers.push('Content-Type', contentType, 'Cache-Control', 'no-cache, private');
  const [only] = parts;
  if (typeof only === 'string' && parts.length === 1 && only.length < textLengthMax) {
    const text = `${only}${lineBreak}`;
    const sizeBytes = Buffer.byteLength(text);
    headers.push('Content-Length', String(sizeBytes));
    // ASCII, as most objects are. Node.js copies it as it is, but looks at every character of other text.
    response.writeHead(code, headers).end(text, sizeBytes === text.length ? 'latin1' : 'utf8');
    return;
  }
  const buffers = [...parts, lineBreak].map(bufferOf);
  const sizeBytes = buffers.reduce((size, { byteLength }) => size + byteLength, 0);
  if (sizeBytes >= gzipBytesMin && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
    const body = await compress(Buffer.concat(buffers, sizeBytes), { level: gzipLevel });
    headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding', 'Content-Length', String(body.byteLength));
    response.writeHead(code, headers);
    await sendPieces(response, dividedBytes(body));
    return;
  }
  headers.push('Content-Length', String(sizeBytes));
  response.writeHead(code, headers);
  if (sizeBytes <= pieceBytes) response.end(Buffer.concat(buffers, sizeBytes));
  else await sendPieces(response, piecesOf(buffers));
}

const lineBreak = '\n';

/**
 * A large body is sent in pieces: each that a client has read is progress, whereas one write of all of it would look like
 * a stalled connection until its end.
 */
async function sendPieces(response: ServerResponse, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function* piecesOf(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts) yield* dividedBytes(part);
}

function bufferOf(part: string | Uint8Array): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

function* dividedBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Resolves also when the connection is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.removeListener('drain', done);
      response.removeListener('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

/** Sends an error as a Status. Returns its code. */
export async function sendError(
  exchange: Exchange,
  error: unknown,
  about?: Parameters<typeof statusOf>[1],
): Promise<number> {
  const { request, response, headers } = exchange;
  const { code, body } = statusOf(error, about);
  if (response.headersSent) {
    response.destroy();
    return code;
  }
  const { retryAfterSeconds } = body.details ?? {};
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(retryAfterSeconds));
  // The rest of a body that was not read would be taken for the next request.
  if (!request.complete) headers.push('Connection', 'close');
  await sendJson(exchange, code, body);
  return code;
}

/** RFC 7234, as kubectl reads it. */
export function warningHeader(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, ' ').slice(0, 256);
  return `299 - "${printable.replace(/[\\"]/g, '\\$&')}"`;
}
