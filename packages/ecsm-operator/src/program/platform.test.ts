/** The link as the options describe it: secrets travel with every request, and are checked before the first. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { transportOf } from './platform.ts';

it('sends the headers with every request, below those of the request itself', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = transportOf(
    { ecsm: `http://127.0.0.1:${port}`, headers: { authorization: 'Bearer abc' }, inFlightMax: 1 },
    systemClock,
  );
  try {
    for (const target of ['/a', '/b']) {
      const signal = AbortSignal.timeout(10_000);
      const meter = { bytesUp: 0, bytesDown: 0 };
      await transport.send(
        { method: 'GET', target, headers: { accept: 'x' } },
        { signal, responseBytesMax: 100, meter },
      );
    }
  } finally {
    transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  expect(seen.map(({ authorization, accept }) => [authorization, accept])).toEqual([
    ['Bearer abc', 'x'],
    ['Bearer abc', 'x'],
  ]);
});

it('rejects an invalid authority, with the name of its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ecsm-tls-'));
  try {
    const file = join(folder, 'ca.pem');
    const make = () =>
      transportOf({ ecsm: 'https://127.0.0.1', headers: {}, tlsCa: file, inFlightMax: 1 }, systemClock);
    expect(make).toThrow(/ca\.pem: ENOENT/);
    writeFileSync(file, 'hello');
    expect(make).toThrow('ca.pem: it contains no PEM certificate');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
