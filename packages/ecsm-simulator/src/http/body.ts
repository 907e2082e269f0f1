/** Reads the body of a request, with a size limit. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Resolves with `gone` if the caller closed the connection. */
export function receiveBody(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return resolve('too large');
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        chunks.length = 0;
        incoming.pause();
        resolve('too large');
      } else {
        chunks.push(chunk);
      }
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks, bytes)));
    incoming.on('error', () => resolve('gone'));
    incoming.on('close', () => resolve('gone'));
  });
}
