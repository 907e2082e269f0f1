import { expect, test } from 'vitest';
import { Bench, failed, succeeded } from './api.kit.ts';

const entry = { key: '/a/b/test', type: 'String', value: { deep: [1, null, 'x'] } };

test('a value is kept under its key, and read back as it was', () => {
  const bench = new Bench();
  expect(bench.call('POST', '/configmap', entry)).toEqual(succeeded(null));
  expect(bench.call('GET', '/configmap/key?key=/a/b/test')).toEqual(succeeded(entry.value));
  expect(bench.call('POST', '/configmap', entry)).toEqual(failed(37006, '配置键已存在: /a/b/test'));
});

test.each(['array', 'page'] as const)('the list is an %s', (configurationList) => {
  const bench = new Bench({ configurationList });
  bench.data('POST', '/configmap', entry);
  bench.data('POST', '/configmap', { ...entry, key: '/c', value: 0 });
  const [one, two] = bench.platform.configuration();
  const rows = [
    { id: one?.id, ...entry },
    { id: two?.id, key: '/c', type: 'String', value: 0 },
  ];
  const answer = (list: unknown[], total: number, pageNum: number, pageSize: number) =>
    succeeded(configurationList === 'array' ? list : { list, total, pageNum, pageSize });
  expect(bench.call('GET', '/configmap?pageNum=1&pageSize=10')).toEqual(answer(rows, 2, 1, 10));
  expect(bench.call('GET', '/configmap?pageNum=2&pageSize=1')).toEqual(answer(rows.slice(1), 2, 2, 1));
  expect(bench.call('GET', '/configmap?pageNum=9&pageSize=10')).toEqual(answer([], 2, 9, 10));
  expect(bench.call('GET', '/configmap?pageNum=1&pageSize=10&key=B/T')).toEqual(answer(rows.slice(0, 1), 1, 1, 10));
  expect(bench.code('GET', '/configmap')).toBe(30001);
});

test('an entry is changed and deleted by its id', () => {
  const bench = new Bench();
  bench.data('POST', '/configmap', entry);
  const id = bench.platform.configuration()[0]?.id;
  expect(bench.call('PUT', '/configmap', { id, key: '/new', type: 'number', value: 5 })).toEqual(succeeded(null));
  expect(bench.data('GET', '/configmap/key?key=/new')).toBe(5);
  expect(bench.code('GET', '/configmap/key?key=/a/b/test')).toBe(37004);
  expect(bench.call('DELETE', `/configmap/${id}`)).toEqual(succeeded(null));
  expect(bench.platform.configuration()).toEqual([]);
  expect(bench.code('DELETE', `/configmap/${id}`)).toBe(37004);
  expect(bench.code('PUT', '/configmap', { id, ...entry })).toBe(37004);
});

test('an entry needs a key, a type and a value, which may be null', () => {
  const bench = new Bench();
  expect(bench.code('POST', '/configmap', { ...entry, key: '' })).toBe(30001);
  expect(bench.code('POST', '/configmap', { ...entry, type: 5 })).toBe(30001);
  expect(bench.code('POST', '/configmap', { key: 'k', type: 't' })).toBe(30001);
  expect(bench.call('POST', '/configmap', { key: 'k', type: 't', value: null })).toEqual(succeeded(null));
});
