/**
 * HTTP and TLS of Node.js alone: answers every request with the same text, until it is stopped.
 * Usage: node https <directory of the certificates> <file with the text>
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { Certificates } from '@ecsm/apiserver';
import { systemClock } from '@ecsm/runtime';

const [, , directory = '', file = ''] = process.argv;
const text = readFileSync(file, 'utf8');
const options = { directory, names: ['127.0.0.1'], server: 'https://127.0.0.1', clock: systemClock };
const { server: credentials, authorityPem } = new Certificates(options);
const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))];
const server = createServer({ ...credentials }, (_, response) => response.writeHead(200, headers).end(text, 'latin1'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : undefined, ca: authorityPem });
