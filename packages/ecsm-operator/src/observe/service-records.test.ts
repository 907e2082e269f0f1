/** Records of services, and which rows are stale. */
import type { ServiceRow } from '@ecsm/client';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { PlatformService } from '../resource/model.ts';
import { fingerprintOfInstances, fingerprintOfRow } from './fingerprint.ts';
import { ServiceRecords } from './service-records.ts';

const row: ServiceRow = {
  id: 'id-1',
  name: 'web',
  status: 'complete',
  updatedTime: '2026-01-01 00:00:01',
  policy: 'dynamic',
  factor: 3,
  instanceOnline: 3,
  containerStatusGroup: ['running'],
  nodeList: [{ nodeId: '1', nodeName: 'node-1', address: 'a' }],
  errorInstance: [],
};

describe('the fingerprint of a row', () => {
  it.each([
    ['updatedTime', '2026-01-01 00:00:02'],
    ['status', 'deploying'],
    ['factor', 2],
    ['policy', 'static'],
    ['name', 'other'],
    ['instanceOnline', 2],
    ['containerStatusGroup', ['running', 'exited']],
    ['containerStatusGroup', [null]],
    ['nodeList', []],
    ['errorInstance', [{ containerId: 'c', message: 'no' }]],
  ])('depends on %s', (field, value) => {
    expect(fingerprintOfRow({ ...row, [field]: value })).not.toBe(fingerprintOfRow(row));
  });

  it('does not depend on order, number format or irrelevant fields', () => {
    const other: ServiceRow = { ...row, factor: '3', createdTime: 'x', pathLabel: '/a' };
    expect(fingerprintOfRow(other)).toBe(fingerprintOfRow(row));
    const one = fingerprintOfRow({ ...row, containerStatusGroup: ['running', 'exited'] });
    expect(fingerprintOfRow({ ...row, containerStatusGroup: ['exited', 'running'] })).toBe(one);
  });
});

it('the fingerprint of instances depends on relevant fields, and not on their order', () => {
  const one = { taskId: '1', nodeName: 'n', status: 'running', deployment: 'success', restarts: 0 };
  const two = { ...one, taskId: '2' };
  const print = fingerprintOfInstances([one, two]);
  expect(fingerprintOfInstances([two, one])).toBe(print);
  expect(fingerprintOfInstances([one])).not.toBe(print);
  for (const change of [{ status: null }, { nodeName: 'm' }, { deployment: 'failure' }, { restarts: 1 }]) {
    expect(fingerprintOfInstances([one, { ...two, ...change }])).not.toBe(print);
  }
});

describe('a service', () => {
  it('is new, the same, changed', () => {
    const records = new ServiceRecords(new VirtualClock());
    expect(records.compare(row, 1_000, 1)).toBe('new');
    expect(records.compare(row, 1_000, 1)).toBe('same');
    expect(records.compare({ ...row, factor: 2 }, 1_000, 1)).toBe('changed');
    expect(records.idsOf('web')).toEqual(['id-1']);
    expect(records.endPoll(new Set(), 1)).toEqual(['web']);
    expect(records.idsOf('web')).toEqual([]);
    expect(records.listedCount).toBe(0);
  });

  it('that gets another name is found under the new one only', () => {
    const records = new ServiceRecords(new VirtualClock());
    records.compare(row, 1_000, 1);
    expect(records.compare({ ...row, name: 'api' }, 2_000, 1)).toBe('changed');
    expect([records.idsOf('web'), records.idsOf('api')]).toEqual([[], ['id-1']]);
  });

  it('of an older version is stale, until only that version is listed', () => {
    const records = new ServiceRecords(new VirtualClock());
    const older = { ...row, updatedTime: '2026-01-01 00:00:00' };
    records.compare(row, 1_000, 1);
    expect(records.compare(older, 0, 1)).toBe('stale');
    expect(records.compare(row, 1_000, 1)).toBe('same');
    expect([1, 2, 3, 4, 5].map(() => records.compare(older, 0, 1))).toEqual([
      'stale',
      'stale',
      'stale',
      'changed',
      'same',
    ]);
  });
});

const instance = (status: string) => ({ taskId: 't', nodeName: 'node-1', status, deployment: 'success', restarts: 0 });
const service = (id: string, status = 'running') =>
  ({ id, name: `name-of-${id}`, instances: [instance(status)] }) as unknown as PlatformService;

describe('a service of ours', () => {
  it('is reported as deleted when a poll does not list it, even if none ever did', () => {
    const records = new ServiceRecords(new VirtualClock());
    records.decide(service('a'), 1);
    records.decide(service('b'), 1);
    expect(records.endPoll(new Set(['a']), 2)).toEqual(['name-of-b']);
    expect(records.ownIds).toEqual(['a']);
    expect(records.endPoll(new Set(['a']), 3)).toEqual([]);
  });

  it('is not reported by a poll that started before the decision', () => {
    const records = new ServiceRecords(new VirtualClock());
    records.decide(service('a'), 2);
    expect(records.endPoll(new Set(), 2)).toEqual([]);
    expect(records.endPoll(new Set(), 3)).toEqual(['name-of-a']);
  });

  it('is reported when its instances differ from those decided on', () => {
    const records = new ServiceRecords(new VirtualClock());
    records.decide(service('a'), 1);
    records.expect('b', 'name-of-b', 1);
    expect(records.changedName('a', service('a').instances)).toBeUndefined();
    expect(records.changedName('a', service('a', 'exited').instances)).toBe('name-of-a');
    expect(records.changedName('b', [])).toBe('name-of-b');
    expect(records.changedName('nobody', [])).toBeUndefined();
  });

  it('is rechecked once while its instances stay the same', () => {
    const records = new ServiceRecords(new VirtualClock());
    records.decide(service('a', 'exited'), 1);
    expect(records.recheck(service('a', 'exited'))).toBe(true);
    records.decide(service('a', 'exited'), 2);
    expect(records.recheck(service('a', 'exited'))).toBe(false);
    records.decide(service('a', 'running'), 3);
    expect(records.recheck(service('a', 'exited'))).toBe(true);
  });
});

it('a service whose instances are not ready is rechecked by the poll after the decision, not by one in flight', () => {
  const records = new ServiceRecords(new VirtualClock());
  const web: PlatformService = { ...service('id-1', 'exited'), name: 'web' };
  records.compare(row, 1_000, 1);
  records.decide(web, 2);
  records.recheck(web);
  expect(records.compare(row, 1_000, 2)).toBe('same');
  expect(records.compare(row, 1_000, 3)).toBe('changed');
  expect(records.compare(row, 1_000, 4)).toBe('same');
});

it('the record of a deleted service is removed after a minute, unless it is used again', async () => {
  const clock = new VirtualClock();
  const records = new ServiceRecords(clock);
  records.compare(row, 1_000, 1);
  records.endPoll(new Set(), 1);
  await clock.advance(59_999);
  records.endPoll(new Set(), 2);
  expect(records.get('id-1')).toBeDefined();
  records.of('id-1').deletedAtMs = clock.monotonicMs();
  await clock.advance(1);
  records.endPoll(new Set(), 3);
  expect(records.get('id-1')).toBeDefined();
  await clock.advance(60_000);
  records.endPoll(new Set(), 4);
  expect(records.get('id-1')).toBeUndefined();
});
