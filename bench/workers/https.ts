/**
 * HTTP and TLS of Node.js alone, until it is stopped: answers every request with the same text, and sends it to all watches
 * for each PATCH.
 * Usage: node https <directory of the certificates> <file with the text>
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Certificates } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';

const [, , directory = '', file = ''] = process.argv;
const text = readFileSync(file, 'utf8');
const line = Buffer.from(text);
const options = { directory, names: ['127.0.0.1'], server: 'https://127.0.0.1', clock: systemClock };
const { server: credentials, authorityPem } = new Certificates(options);
const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))];
const watches = new Set<ServerResponse>();
const server = createServer({ ...credentials }, (request, response) => {
  if (request.url?.includes('watch=1')) {
    watches.add(response);
    response.once('close', () => watches.delete(response)).flushHeaders();
    return;
  }
  response.writeHead(200, headers).end(text, 'latin1');
  if (request.method === 'PATCH') for (const watch of watches) watch.write(line);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : undefined, ca: authorityPem });
