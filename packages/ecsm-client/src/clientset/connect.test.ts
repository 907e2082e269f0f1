import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connect } from './connect.ts';
import { collect } from './pages.ts';
import { onePage, service } from './scripted.kit.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

it('sends requests over HTTP with the configured headers', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url, request.headers['authorization']);
    response.end(JSON.stringify({ status: 200, message: 'success', data: onePage(service('s')), fieldErrors: null }));
  });
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = connect({ url, headers: () => ({ authorization: 'Bearer x' }), resources: { pageSize: 7 } });
  closers.push(() => connection.close());
  expect(await collect(connection.ecsm.services().list())).toEqual([service('s')]);
  expect(seen).toEqual(['/api/v1/service?pageNum=1&pageSize=7', 'Bearer x']);
});

it('rejects invalid options before sending anything', () => {
  expect(() => connect({ url: 'no url' })).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  const options = { url: 'http://127.0.0.1:1', resources: { pageSize: 0 } };
  expect(() => connect(options)).toThrow('pageSize has to be a whole number above 0');
});
