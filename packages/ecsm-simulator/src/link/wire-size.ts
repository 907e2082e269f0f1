/**
 * The size of a message in HTTP/1.1, with the headers that Node.js adds, so that in-process calls are counted like
 * calls over a socket.
 */
import { Buffer } from 'node:buffer';
import type { Request, Response } from '../api/exchange.ts';

/** A request that was received over a socket has these headers already. */
const addedToRequests = { host: 'Host: 127.0.0.1:3001\r\n', connection: 'Connection: keep-alive\r\n' };
const dateLength = 'Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n'.length;
const keepAliveLength = 'Connection: keep-alive\r\nKeep-Alive: timeout=60\r\n'.length;

export function requestBytes({ method, target, headers, body }: Request): number {
  const line = `${method} ${target} HTTP/1.1\r\n`;
  let bytes = Buffer.byteLength(line) + fieldBytes(headers, body) + body.byteLength;
  for (const [name, added] of Object.entries(addedToRequests)) if (headers[name] === undefined) bytes += added.length;
  return bytes;
}

/** Status line and headers. */
export function responseHeadBytes({ status, headers, body }: Response): number {
  const statusLine = `HTTP/1.1 ${status} ${status === 304 ? 'Not Modified' : 'OK'}\r\n`;
  const added = dateLength + (headers['connection'] === undefined ? keepAliveLength : 0);
  return statusLine.length + added + fieldBytes(headers, body);
}

/** The headers, including the final empty line. */
function fieldBytes(headers: Readonly<Record<string, string>>, body: Uint8Array): number {
  let bytes = '\r\n'.length;
  for (const [name, value] of Object.entries(headers)) bytes += Buffer.byteLength(`${name}: ${value}\r\n`);
  if (body.byteLength > 0 && headers['content-length'] === undefined) {
    bytes += `content-length: ${body.byteLength}\r\n`.length;
  }
  return bytes;
}
