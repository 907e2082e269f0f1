import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptProbe } from './probe.ts';

const open: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function server(status: number | undefined): Promise<number> {
  const made = createServer((_, response) => {
    if (status !== undefined) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  open.push(made);
  return (made.address() as AddressInfo).port;
}

const http = (port: number, isTls = false) =>
  ({ is: 'http', host: '127.0.0.1', port, path: '/health', headers: {}, isTls }) as const;

describe('an attempt of a probe', () => {
  it('succeeds by HTTP statuses from 200 to 399', async () => {
    for (const status of [200, 302, 399]) expect(await attemptProbe(http(await server(status)), 5_000)).toBeUndefined();
    for (const status of [400, 503]) {
      expect(await attemptProbe(http(await server(status)), 5_000)).toBe(`HTTP status ${status}`);
    }
  });

  it('fails without a server, without an answer in time, and with another protocol', async () => {
    const port = await server(undefined);
    expect(await attemptProbe(http(port), 50)).toBe('timed out');
    expect(await attemptProbe(http(await server(200), true), 5_000)).toEqual(expect.any(String));
    for (const each of open.splice(0)) {
      each.closeAllConnections();
      each.close();
    }
    expect(await attemptProbe(http(port), 5_000)).toContain('ECONNREFUSED');
    expect(await attemptProbe({ is: 'tcp', host: '127.0.0.1', port }, 5_000)).toContain('ECONNREFUSED');
  });

  it('succeeds by a TCP connection', async () => {
    expect(await attemptProbe({ is: 'tcp', host: '127.0.0.1', port: await server(200) }, 5_000)).toBeUndefined();
  });
});
