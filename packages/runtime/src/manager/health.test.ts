/** Goal: probes get the responses of Kubernetes, and other requests are rejected. Method: real HTTP. */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../ports/clock.ts';
import { CHECK_MS_MAX, type Checks, checkName, runCheck } from './checks.ts';
import { type HealthOptions, HealthServer, healthLimits } from './health.ts';
import { MetricRegistry } from './metrics.ts';

const servers: HealthServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function listen(ready: Checks = {}, options: Partial<HealthOptions> = {}): Promise<HealthServer> {
  const server = await HealthServer.listen({
    clock: systemClock,
    health: () => ({ ping: () => undefined }),
    ready: () => ready,
    metrics: new MetricRegistry(),
    ...options,
  });
  servers.push(server);
  return server;
}

async function ask(server: HealthServer, path: string, options: RequestInit = {}) {
  const response = await fetch(`${server.url}${path}`, options);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** What the server says to raw bytes until it hangs up. */
function say(server: HealthServer, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

/** Connections that stay open until the test ends or the server closes them. */
async function connected(server: HealthServer, count: number, then: (socket: Socket, index: number) => void) {
  const sockets = Array.from({ length: count }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  for (const [index, socket] of sockets.entries()) then(socket, index);
  return sockets;
}

const failing: Checks = {
  store: () => undefined,
  cache: () => 'not listed yet',
  broken: () => Promise.reject(new Error('no\nway')),
};

describe('/healthz and /readyz', () => {
  it('return ok when all checks pass, and the list with ?verbose', async () => {
    const server = await listen({ store: () => undefined, cache: async () => undefined });
    expect(await ask(server, '/readyz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await ask(server, '/readyz?verbose')).text).toBe('[+]store ok\n[+]cache ok\nreadyz check passed\n');
    expect((await ask(server, '/healthz?verbose')).text).toBe('[+]ping ok\nhealthz check passed\n');
    expect((await ask(server, '/readyz/')).status).toBe(200);
  });

  it('show the detail of a check that passes with ?verbose only', async () => {
    const detail = () => 'two\nlines';
    const store = Object.assign(() => undefined, { detail });
    const cache = Object.assign(() => 'not listed yet', { detail });
    const server = await listen({ store });
    expect((await ask(server, '/readyz')).text).toBe('ok');
    expect((await ask(server, '/readyz?verbose')).text).toBe('[+]store ok: two lines\nreadyz check passed\n');
    const other = await listen({ cache });
    expect((await ask(other, '/readyz')).text).toBe('[-]cache failed: not listed yet\nreadyz check failed\n');
  });

  it('return the failed checks with their reasons, without ?verbose', async () => {
    const server = await listen(failing);
    const { status, text, headers } = await ask(server, '/readyz');
    expect(status).toBe(500);
    expect(text).toBe('[+]store ok\n[-]cache failed: not listed yet\n[-]broken failed: no way\nreadyz check failed\n');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('return one check by its name', async () => {
    const server = await listen(failing);
    expect(await ask(server, '/readyz/store')).toMatchObject({ status: 200, text: 'ok' });
    expect(await ask(server, '/readyz/cache')).toMatchObject({ status: 500, text: 'cache failed: not listed yet\n' });
    expect((await ask(server, '/readyz/toString')).status).toBe(404);
    expect((await ask(server, '/healthz/store')).status).toBe(404);
  });

  it('omit excluded checks, and warn about unknown ones', async () => {
    const server = await listen(failing);
    const { status, text } = await ask(server, '/readyz?verbose&exclude=cache&exclude=broken&exclude=x');
    expect(status).toBe(200);
    expect(text).toBe(
      '[+]store ok\n[+]cache excluded: ok\n[+]broken excluded: ok\nwarn: no check "x" to exclude\nreadyz check passed\n',
    );
  });
});

describe('/metrics', () => {
  it('is the exposition in Prometheus text', async () => {
    const metrics = new MetricRegistry();
    metrics.counter({ name: 'jobs_total', help: 'Jobs.' }).with({}).increment(3);
    const server = await listen({}, { metrics });
    const { status, text, headers } = await ask(server, '/metrics');
    expect([status, text]).toEqual([200, metrics.render()]);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});

describe('the server', () => {
  it.each(['/', '/nothing', '/readyz/a/b', '/metrics/x'])('returns 404 for %s', async (path) => {
    expect((await ask(await listen(), path)).status).toBe(404);
  });

  it('continues after a failed request', async () => {
    const server = await listen({}, { ready: () => JSON.parse('') });
    expect(await ask(server, '/readyz')).toMatchObject({ status: 500, text: 'internal error\n' });
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('answers GET and HEAD only', async () => {
    const server = await listen();
    const { status, headers } = await ask(server, '/healthz', { method: 'POST', body: 'x' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await ask(server, '/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('accepts no body', async () => {
    const server = await listen();
    expect(await say(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello')).toMatch(
      /^HTTP\/1.1 413 /,
    );
    expect(await say(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')).toMatch(
      /^HTTP\/1.1 413 /,
    );
  });

  it('accepts no header over its limit', async () => {
    const long = 'x'.repeat(healthLimits.headerBytesMax);
    expect(await say(await listen(), `GET / HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });

  it('responds while more idle connections are open than its limit', async () => {
    const server = await listen();
    const starts = ['', 'GET /healthz HTTP/1.1\r\n', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '];
    const sockets = await connected(server, 3 * healthLimits.connectionsMax, (socket, index) => {
      socket.write(starts[index % starts.length] ?? '');
    });
    expect(await ask(server, '/healthz')).toMatchObject({ status: 200, text: 'ok' });
    const left = () => sockets.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(healthLimits.connectionsMax);
  });

  it('closes a further connection while all others wait for a response', async () => {
    let waiting = 0;
    let finish = () => {};
    const finished = new Promise<undefined>((resolve) => (finish = () => resolve(undefined)));
    const slow = () => {
      waiting++;
      return finished;
    };
    const server = await listen({ slow });
    const answers = Array.from({ length: healthLimits.connectionsMax }, () =>
      say(server, 'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    );
    await expect.poll(() => waiting).toBe(healthLimits.connectionsMax);
    expect(await say(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
    finish();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('picks a free port for 0, and returns it', async () => {
    const server = await listen();
    expect(server.port).toBeGreaterThan(0);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it('reports a port that is in use', async () => {
    const { port } = await listen();
    await expect(listen({}, { port })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(`127.0.0.1:${port} of the health server is unavailable: the address is in use`),
    });
  });

  it('reports an address that is not of this machine', async () => {
    await expect(listen({}, { host: '192.0.2.1', allowRemote: true })).rejects.toThrow('does not have that address');
  });

  it.each(['0.0.0.0', '::', '192.168.1.1', 'example.com'])(
    'rejects %s, which is reachable from other machines',
    async (host) => {
      await expect(listen({}, { host })).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining(host),
      });
    },
  );

  it('listens on such an address if configured', async () => {
    const server = await listen({}, { host: '0.0.0.0', allowRemote: true });
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
  });

  it.each([-1, 65_536, 1.5])('rejects the port %d', async (port) => {
    await expect(listen({}, { port })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('closes although a client waits for a response', async () => {
    const clock = new VirtualClock();
    const server = await listen({ slow: () => new Promise(() => {}) }, { clock });
    const asked = new Promise<void>((resolve) => {
      const call = request(`${server.url}/readyz`);
      call.on('error', () => resolve());
      call.end();
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = server.close();
    await clock.advance(healthLimits.closeMsMax);
    await Promise.all([closed, asked]);
    servers.length = 0;
  });
});

describe('a check', () => {
  it('that hangs has failed', async () => {
    const clock = new VirtualClock();
    const reason = runCheck(() => new Promise(() => {}), clock);
    await clock.advance(CHECK_MS_MAX);
    expect(await reason).toBe('the check did not respond within 5000 ms');
  });

  it('that throws a value that is not an error has failed', async () => {
    const broken = () => {
      throw 'just so';
    };
    expect(await runCheck(broken, systemClock)).toBe('just so');
  });

  it.each(['', 'a/b', 'a b', '-a'])('cannot have the name "%s"', (name) => {
    expect(() => checkName(name)).toThrow('is not a valid check name');
  });
});
