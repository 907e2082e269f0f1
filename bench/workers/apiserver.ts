/**
 * Serves a registry over TLS until it is asked to stop, and reports its memory and processor time.
 * Usage: node --expose-gc apiserver <registry URL> <directory of the certificates>
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { ApiServer, Certificates } from '@ecsm/apiserver';
import { openRegistry } from '@ecsm/runtime';
import { Thing, thing } from '../thing.ts';

/** One of them: the answer to the message `cpu`, and to `memory`. */
export interface Usage {
  readonly cpuMs: number;
  readonly residentMb: number;
}

const [, , url = '', directory = ''] = process.argv;
const registry = await openRegistry(url, { kinds: [Thing] });
const { clock } = registry;
const certificates = new Certificates({ directory, names: ['127.0.0.1'], server: 'https://127.0.0.1', clock });
const server = new ApiServer({ registry, credentials: certificates.server });
const { port } = await server.listen({ host: '127.0.0.1', port: 0 });

// What HTTP and TLS of Node.js cost alone: an object of the same size that is already text.
const text = JSON.stringify(thing('thing'));
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
const bare = createServer({ ...certificates.server }, (_, response) => response.writeHead(200, headers).end(text));
bare.listen(0, '127.0.0.1');
await once(bare, 'listening');
const address = bare.address();
const barePort = typeof address === 'object' ? address?.port : undefined;

process.on('message', async (message) => {
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 } satisfies Partial<Usage>);
    return;
  }
  if (message === 'memory') {
    // Not before a measurement of time: a forced collection also discards compiled code.
    globalThis.gc?.();
    const status = readFileSync('/proc/self/status', 'utf8');
    const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
    process.send?.({ residentMb } satisfies Partial<Usage>);
    return;
  }
  bare.close();
  bare.closeAllConnections();
  await server.close();
  await registry.close();
  process.disconnect?.();
});
process.send?.({ port, barePort, ca: certificates.authorityPem });
