/**
 * How a web server sends a response if it offers to save bytes: compressed, or as HTTP 304 if the caller has the same one
 * already. It does so in the form of Express: a weak ETag over the whole body, and no compression of small bodies.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from '../api/exchange.ts';
import type { Behaviour } from '../platform/behaviour.ts';

type EncodingSwitches = Pick<Behaviour, 'compression' | 'entityTag' | 'connection'>;

/** A smaller body is not compressed. */
const compressedBytesMin = 1_024;

export function encodeResponse(request: Request, response: Response, switches: EncodingSwitches): Response {
  const { compression, entityTag, connection } = switches;
  const kept = connection === 'close' ? withHeaders(response, { connection: 'close' }) : response;
  if (request.method !== 'GET' || response.status !== 200) return kept;
  const tagged = entityTag === 'none' ? kept : withHeaders(kept, { etag: tagOf(response.body) });
  if (isKnown(request, tagged)) return notModified(tagged);
  return compression === 'gzip' && acceptsGzip(request) ? compressed(tagged) : tagged;
}

function withHeaders(response: Response, headers: Response['headers']): Response {
  return { ...response, headers: { ...response.headers, ...headers } };
}

function tagOf(body: Uint8Array): string {
  const digest = createHash('sha1').update(body).digest('base64').slice(0, 27);
  return `W/"${body.byteLength.toString(16)}-${digest}"`;
}

function isKnown({ headers }: Request, { headers: { etag } }: Response): boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim()) ?? [];
  return etag !== undefined && known.includes(etag);
}

function notModified(response: Response): Response {
  const { 'content-type': _type, 'content-length': _length, ...headers } = response.headers;
  return { status: 304, headers, body: new Uint8Array() };
}

function acceptsGzip({ headers }: Request): boolean {
  return (headers['accept-encoding'] ?? '').split(',').some((coding) => /^\s*gzip\s*(?:;|$)/.test(coding));
}

function compressed(response: Response): Response {
  if (response.body.byteLength < compressedBytesMin) return response;
  const body = gzipSync(response.body);
  const headers = { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': String(body.byteLength) };
  return { ...withHeaders(response, headers), body };
}
