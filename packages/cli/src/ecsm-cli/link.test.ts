/** A missing, silent or wrong platform is reported on one line with URL, cause and remedy. */
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { runInTestTerminal, type TestTerminalOptions } from '@ecsm/command-line/testing';
import { systemClock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createService, listening, serviceBody, simulated } from './platform.kit.ts';
import { ecsmCli } from './program.ts';

const at = (url: string, argv: readonly string[], options: TestTerminalOptions = {}) =>
  runInTestTerminal(ecsmCli, [...argv, '--url', url], { clock: systemClock, ...options });

async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const respondingWith = (status: number, body: string, headers: Record<string, string> = {}) =>
  listening(createServer((_, response) => response.writeHead(status, headers).end(body)));

test('reports a refused connection', async () => {
  const url = await closedPort();
  const { code, out, err } = await at(url, ['get', 'nodes', '--timeout', '10s']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err.replace(/^waiting.*\n/gm, '')).toBe(
    `ecsm-cli: ${url} cannot be reached: connection refused (ECONNREFUSED). Is the platform running there? If not, set its address with --url, ECSMCLI_HOST and ECSMCLI_PORT, or .ecsm-cli.yaml\n`,
  );
});

test.each([
  ['get', 'nodes'],
  ['top', 'nodes'],
  ['watch'],
  ['describe', 'node', 'x'],
  ['node', 'check'],
  ['scale', 'x', '--replicas', '1'],
  ['raw', 'GET', '/node'],
])('a refused connection ends %s %s immediately', async (...argv) => {
  const { code, err } = await at(await closedPort(), [...argv, '--timeout', '10s']);
  expect(code).toBe(1);
  expect(err.trim().split('\n').at(-1)).toMatch(/^ecsm-cli: http:.* cannot be reached: connection refused/);
});

test('reports a server that never responds', async () => {
  const server = createSocketServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { code, err } = await at(url, ['get', 'nodes', '--timeout', '700ms']);
  expect(code).toBe(1);
  expect(err).toContain(`waiting for nodes of ${url}`);
  expect(err).toContain(
    `ecsm-cli: ${url} did not respond to GET /node within 700 ms. If the link is slow, increase --timeout\n`,
  );
});

test('reports a list that never ends', async () => {
  const clock = new VirtualClock();
  let created = 0;
  const server = createServer(async (_, response) => {
    await clock.advance(100);
    const row = { id: String(created), name: `node-${created++}`, status: 'online' };
    response.end(JSON.stringify({ status: 200, data: { list: [row], total: 1e9 } }));
  });
  const url = await listening(server);
  const { code, out, err } = await at(url, ['get', 'nodes', '--timeout', '700ms'], { clock });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(
    `ecsm-cli: ${url} did not respond to GET /node with all its pages within 700 ms. If the link is slow, increase --timeout\n`,
  );
});

test.each([
  [
    'a body that is not JSON',
    200,
    'hello',
    /sent an unexpected response to GET \/node: the body is not JSON: .*hello.*\. If this is not an ECSM platform, set its address/,
  ],
  ['a login page', 200, '<html><body>login', /the body is HTML, perhaps from a proxy/],
  ['JSON without an envelope', 200, '{"a":1}', /not an envelope with a status/],
  ['a truncated response', 200, '{"status":200,"data":{"li', /damaged or cut short/],
  ['invalid rows', 200, '{"status":200,"data":{"list":[{}],"total":1}}', /data\.list\[0\]\.id is missing/],
  [
    'a proxy that responds 404',
    404,
    'not here',
    /has no endpoint GET \/node\. If this is not an ECSM platform, set its address/,
  ],
  ['a proxy that responds 503', 503, '<html>503', /is unavailable: GET \/node: .*Try again later/],
  [
    'a platform that requires credentials',
    401,
    '{"status":401,"message":"login"}',
    /If it requires credentials, send them with --header/,
  ],
  ['a redirect', 302, '', /HTTP 302/],
])('reports %s', async (_, status, body, message) => {
  const { code, out, err } = await at(await respondingWith(status, body), ['get', 'nodes', '--timeout', '3s']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(message);
  expect(
    err
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('ecsm-cli:')),
  ).toHaveLength(1);
  expect(err).not.toMatch(/^ {4}at /m);
});

test('reports a response that is not HTTP', async () => {
  const server = createSocketServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { code, err } = await at(url, ['get', 'nodes', '--timeout', '3s']);
  expect(code).toBe(1);
  expect(err).toContain('it is not HTTP');
});

test('does not repeat a write whose response is lost, and reports that it may have been made', async () => {
  const kit = await simulated({ isQuick: true });
  await createService(kit, 'telemetry', { factor: 1 });
  kit.simulator.link.set({ answersToLose: 1, match: { method: 'PUT', path: '/api/v1/service' } });
  const { code, err } = await kit.run('scale telemetry --replicas 2 --timeout 5s');
  expect(code).toBe(1);
  expect(err).toContain(
    'did not respond to PUT /service within 5 s. The change may have been made: check before you repeat it',
  );
  expect(kit.simulator.platform.serviceNamed('telemetry')?.factor).toBe(2);
  expect(kit.simulator.journal.byEndpoint().find(({ endpoint }) => endpoint === 'PUT /service')?.calls).toBe(1);
});

test('retries after errors of the link, and shows each attempt with -v', async () => {
  const kit = await simulated({ isQuick: true });
  kit.simulator.link.set({ errorsLeft: 2 });
  const { code, out, err } = await kit.run('get nodes -v -o name');
  expect({ code, out }).toEqual({ code: 0, out: 'node/node-1\nnode/node-2\nnode/node-3\n' });
  const lines = err.split('\n').filter((line) => line.startsWith('GET'));
  expect(lines.map((line) => /: (\d+), \d+ ms, \d+B up, [\d.]+\w+ down$/.exec(line)?.[1])).toEqual([
    '503',
    '503',
    '200',
  ]);
});

test('hides secrets in requests and headers with -v', async () => {
  const kit = await simulated();
  const body = serviceBody('x', { env: ['DB_PASSWORD=hunter2'], vsoa: { password: 'hunter2' } });
  const env = { ECSMCLI_HEADER: 'Authorization: Bearer hunter2', ECSMCLI_NODE_PASSWORD: 'hunter2' };
  const runs = [
    await kit.run(['-v', 'raw', 'POST', '/service', '-d', JSON.stringify(body)], { env }),
    await kit.run(['-v', 'raw', 'GET', '/node?token=hunter2&pageNum=1&pageSize=1'], { env }),
    await kit.run('-v node add node-9 --address 10.0.0.9:1112', { env }),
    await kit.run('-v describe service x', { env }),
    await kit.run('-v get service x -o json', { env }),
    await kit.run('config view', { env }),
  ];
  for (const { code, out, err } of runs) {
    expect(code).toBe(0);
    expect(out + err).not.toContain('hunter2');
  }
  expect(runs[0]?.err).toContain('POST http://127.0.0.1:30001/api/v1/service {"name":"x"');
});

test('sends headers', async () => {
  const seen: unknown[] = [];
  const url = await listening(
    createServer((request, response) => {
      seen.push([request.headers['x-site'], request.headers.authorization]);
      response.end('{"status":200,"message":"success","data":{"list":[],"total":0}}');
    }),
  );
  const { code, err } = await at(url, [
    'get',
    'nodes',
    '--header',
    'X-Site: 7',
    '--header',
    'Authorization: Basic abcd',
  ]);
  expect({ code, err }).toEqual({ code: 0, err: 'No nodes found.\n' });
  expect(seen).toEqual([['7', 'Basic abcd']]);
});

test('flags take precedence over the environment, that over the file, and the working directory over home', async () => {
  const files = {
    '.ecsm-cli.yaml': 'url: https://file.site:1/ecsm\n',
    '/home/person/.ecsm-cli.yaml': 'host: home.site\n',
  };
  const where = async (argv: readonly string[], env: Record<string, string>, those: Record<string, string> = files) =>
    (await runInTestTerminal(ecsmCli, ['config', 'view', ...argv], { env, files: those })).err.trim().split(' ').at(-1);
  expect(await where([], {}, {})).toBe('http://127.0.0.1:3001');
  expect(await where([], {})).toBe('https://file.site:1/ecsm');
  expect(await where([], {}, { '/home/person/.ecsm-cli.yaml': 'host: home.site\n' })).toBe('http://home.site:3001');
  expect(await where([], { ECSMCLI_HOST: 'env.site' })).toBe('https://env.site:1/ecsm');
  expect(await where([], { ECSMCLI_URL: 'http://env.site' })).toBe('http://env.site');
  expect(await where(['--port', '7'], { ECSMCLI_HOST: 'env.site', ECSMCLI_PROTOCOL: 'http' })).toBe(
    'http://env.site:7/ecsm',
  );
  expect(await where(['--host', '::1'], {}, {})).toBe('http://[::1]:3001');
  expect(await where(['--config', 'my.json'], {}, { 'my.json': '{"port": 9}' })).toBe('http://127.0.0.1:9');
});

test('removes control characters of the platform from the output', async () => {
  const row = { id: 'a', name: '\u001b[2Jevil\nnode', status: 'online' };
  const url = await respondingWith(200, JSON.stringify({ status: 200, data: { list: [row], total: 1 } }));
  for (const format of [
    'table',
    'wide',
    'name',
    'json',
    'yaml',
    'jsonpath={.items[0].name}',
    'custom-columns=N:.name',
  ]) {
    const { code, out } = await at(url, ['get', 'nodes', '-o', format], { terminal: { columns: 200, rows: 24 } });
    expect(code).toBe(0);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('evil');
  }
});

test('reports that a write may have been made if the connection is closed before the response', async () => {
  const server = createServer((request) => {
    request.resume();
    request.on('end', () => request.socket.destroy());
  });
  const url = await listening(server);
  const { code, err } = await at(url, ['raw', 'POST', '/service', '-d', '{}']);
  expect([code, err.replace(/^waiting.*\n/gm, '')]).toEqual([
    1,
    `ecsm-cli: the connection to ${url} was lost: the connection was closed before a response (ECONNRESET). The change may have been made: check before you repeat it\n`,
  ]);
});

test('keeps a plus sign in a path, and reads it as a blank in a query', async () => {
  const targets: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url);
    response.end('{"status":200,"message":"success","data":null}');
  });
  await at(await listening(server), ['raw', 'GET', '/image/a@1.0.0+b?name=c+d']);
  expect(targets.map((target) => decodeURIComponent(target ?? ''))).toEqual(['/api/v1/image/a@1.0.0+b?name=c d']);
});
