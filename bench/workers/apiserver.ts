/**
 * Serves a registry over TLS until it is asked to stop, and reports its memory and processor time.
 * Usage: node --expose-gc apiserver <registry URL> <directory of the certificates>
 */
import { readFileSync } from 'node:fs';
import { ApiServer, Certificates } from '@ecsm/apiserver';
import { openRegistry } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

export interface Usage {
  readonly residentMb: number;
  readonly cpuMs: number;
}

const [, , url = '', directory = ''] = process.argv;
const registry = await openRegistry(url, { kinds: [Thing] });
const { clock } = registry;
const certificates = new Certificates({ directory, names: ['127.0.0.1'], server: 'https://127.0.0.1', clock });
const server = new ApiServer({ registry, credentials: certificates.server });
const { port } = await server.listen({ host: '127.0.0.1', port: 0 });

process.on('message', async (message) => {
  if (message === 'usage') {
    const { user, system } = process.cpuUsage();
    globalThis.gc?.();
    const status = readFileSync('/proc/self/status', 'utf8');
    const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
    process.send?.({ residentMb, cpuMs: (user + system) / 1000 } satisfies Usage);
    return;
  }
  await server.close();
  await registry.close();
  process.disconnect?.();
});
process.send?.({ port, ca: certificates.authorityPem });
