/**
 * How many bytes a message takes on the wire as HTTP/1.1. The link is the scarce resource, so a call that never touches
 * a socket is still counted as if it did, with the headers that Node adds by itself.
 */
import { Buffer } from 'node:buffer';
import type { Answer, Request } from './message.ts';

const addedToRequests = 'Host: 127.0.0.1:3001\r\nConnection: keep-alive\r\n'.length;
const addedToAnswers = 'Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\n'
  .length;
const reasonLength = 'OK'.length;

export function requestBytes({ method, target, headers, body }: Request): number {
  const line = `${method} ${target} HTTP/1.1\r\n`;
  return Buffer.byteLength(line) + addedToRequests + fieldBytes(headers, body) + body.byteLength;
}

/** All that comes before the body. */
export function answerHeadBytes({ status, headers, body }: Answer): number {
  return `HTTP/1.1 ${status} \r\n`.length + reasonLength + addedToAnswers + fieldBytes(headers, body);
}

/** The headers and the empty line after them. */
function fieldBytes(headers: Readonly<Record<string, string>>, body: Uint8Array): number {
  let bytes = '\r\n'.length;
  for (const [name, value] of Object.entries(headers)) bytes += Buffer.byteLength(`${name}: ${value}\r\n`);
  if (body.byteLength > 0 && headers['content-length'] === undefined) {
    bytes += `content-length: ${body.byteLength}\r\n`.length;
  }
  return bytes;
}
