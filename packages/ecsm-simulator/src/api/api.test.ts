import { expect, test } from 'vitest';
import type { Platform } from '../platform/contract.ts';
import { Bench, failed, field, serviceBody } from './api.kit.ts';
import { createApi } from './api.ts';

const raw = (bench: Bench, method: string, target: string) =>
  bench.handler({ method, target, headers: {}, body: new Uint8Array() });

test('an unknown path is HTTP 404, in an envelope', () => {
  const bench = new Bench();
  for (const target of [
    '/',
    '',
    '*',
    '/api/v1',
    '/api/v1/',
    '/api/v2/service',
    '/api/v1service',
    '/api/v1/service//ids',
  ]) {
    const answer = raw(bench, 'GET', target);
    expect(answer.status, target).toBe(404);
    expect(JSON.parse(new TextDecoder().decode(answer.body))).toEqual({
      status: 404,
      message: '接口不存在',
      data: null,
      fieldErrors: null,
    });
  }
});

test('a method that a path does not have is HTTP 405', () => {
  const answer = raw(new Bench(), 'PATCH', '/api/v1/service?pageNum=1');
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, POST, PUT']);
});

test('segments are decoded, and malformed ones are a bad request', () => {
  const bench = new Bench();
  expect(bench.data('GET', '/node/name/sat%2D1')).toMatchObject({ name: 'sat-1' });
  expect(bench.call('GET', '/node/name/%zz')).toEqual(
    failed(30001, '请求参数错误: path is not properly percent-encoded'),
  );
  expect(bench.code('GET', '/node?pageNum=%')).toBe(30001);
});

test('another base path', () => {
  const bench = new Bench({}, { basePath: '/ecsm' });
  expect(raw(bench, 'GET', '/ecsm/service/summary').status).toBe(200);
  expect(raw(bench, 'GET', '/api/v1/service/summary').status).toBe(404);
});

test('a body above the limit is refused', () => {
  const bench = new Bench({}, { bodyBytesMax: 100 });
  expect(bench.code('POST', '/service', serviceBody({ name: 'x'.repeat(100) }))).toBe(30001);
  expect(bench.platform.services()).toEqual([]);
});

test('a transaction can be read only if the switch is set', () => {
  const path = (bench: Bench) => {
    const { id } = bench.platform.controlService(bench.deploy(), 'restart');
    return `/transaction/${id}`;
  };
  const without = new Bench();
  expect(without.call('GET', path(without)).http).toBe(404);
  const bench = new Bench({ transactionEndpoint: 'present' });
  const there = path(bench);
  bench.pass(1);
  const reply = bench.data('GET', there);
  expect(reply).toEqual({
    id: field(reply, 'id'),
    status: 'success',
    data: null,
    timestamp: field(reply, 'timestamp'),
  });
  expect(there).toBe(`/transaction/${field(reply, 'id')}`);
  expect(bench.call('GET', '/transaction/nothing').http).toBe(404);
});

test('due events are processed before a call', () => {
  const bench = new Bench({ startMs: 1000 });
  const id = bench.deploy();
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({ status: 'deploying' });
  bench.pass(2000);
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({ status: 'complete' });
});

test('a platform that breaks is HTTP 500, and the next call works again', () => {
  const bench = new Bench();
  let isBroken = true;
  const platform: Platform = new Proxy(bench.platform, {
    get(target, name) {
      if (name === 'services' && isBroken) throw new TypeError('broken');
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const handler = createApi(platform);
  const request = { method: 'GET', target: '/api/v1/service/summary', headers: {}, body: new Uint8Array() };
  expect(handler(request).status).toBe(500);
  isBroken = false;
  expect(handler(request).status).toBe(200);
});

test('only the rows of the page are rendered', () => {
  const bench = new Bench();
  const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
  const ids = names.map((name) =>
    bench.deploy({ name, policy: 'dynamic', factor: 10, node: { names: ['sat-1', 'sat-2'] } }),
  );
  let rendered = 0;
  const platform: Platform = new Proxy(bench.platform, {
    get(target, name) {
      if (name === 'usageOf') rendered++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const target = `/api/v1/container/service?pageNum=2&pageSize=20&${ids.map((id) => `serviceIds[]=${id}`).join('&')}`;
  const answer = createApi(platform)({ method: 'GET', target, headers: {}, body: new Uint8Array() });
  expect(field(JSON.parse(new TextDecoder().decode(answer.body)), 'data')).toMatchObject({ total: 500, pageNum: 2 });
  expect(rendered).toBe(20);
});

test('times have the form of the switch', () => {
  const plain = new Bench({ times: 'plain' });
  const iso = new Bench({ times: 'iso' });
  expect(plain.data('GET', `/container/${plain.onlyContainer(plain.deploy()).taskId}`)).toMatchObject({
    taskCreatedTime: '2024-06-03 23:28:20',
  });
  expect(plain.data('GET', `/registry/local/image/${plain.telemetry.id}`)).toMatchObject({
    createdTime: '2024-06-03 23:28:20',
  });
  expect(iso.data('GET', `/service/${iso.deploy()}`)).toMatchObject({ createdTime: '2024-06-03T23:28:20.000Z' });
  expect(iso.data('GET', '/node/name/sat-1')).toMatchObject({ createdTime: '2024-06-03T23:28:20.000Z' });
});
