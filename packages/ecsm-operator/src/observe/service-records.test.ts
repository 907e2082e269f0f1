/** What is remembered of a service, and when an answer is too old to be believed. */
import type { ServiceRow } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { printOfInstances, printOfRow } from './fingerprint.ts';
import { Sightings } from './service-records.ts';

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

describe('the print of a row', () => {
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
  ])('is another one with another %s', (field, value) => {
    expect(printOfRow({ ...row, [field]: value })).not.toBe(printOfRow(row));
  });

  it('is the same when only the order, the spelling of a number or something that nobody needs differs', () => {
    const other: ServiceRow = { ...row, factor: '3', createdTime: 'x', pathLabel: '/a' };
    expect(printOfRow(other)).toBe(printOfRow(row));
    const one = printOfRow({ ...row, containerStatusGroup: ['running', 'exited'] });
    expect(printOfRow({ ...row, containerStatusGroup: ['exited', 'running'] })).toBe(one);
  });
});

it('the print of instances does not depend on their order, and on everything that counts', () => {
  const one = { taskId: '1', nodeName: 'n', status: 'running', deployment: 'success', restarts: 0 };
  const two = { ...one, taskId: '2' };
  const print = printOfInstances([one, two]);
  expect(printOfInstances([two, one])).toBe(print);
  expect(printOfInstances([one])).not.toBe(print);
  for (const change of [{ status: null }, { nodeName: 'm' }, { deployment: 'failure' }, { restarts: 1 }]) {
    expect(printOfInstances([one, { ...two, ...change }])).not.toBe(print);
  }
});

describe('a service', () => {
  it('is new, the same, changed', () => {
    const sightings = new Sightings();
    expect(sightings.see(row, 1_000)).toBe('new');
    expect(sightings.see(row, 1_000)).toBe('same');
    expect(sightings.see({ ...row, factor: 2 }, 1_000)).toBe('changed');
    expect(sightings.idsOf('web')).toEqual(['id-1']);
    expect(sightings.keepOnly(new Set())).toEqual(['web']);
    expect(sightings.idsOf('web')).toEqual([]);
    expect(sightings.size).toBe(0);
  });

  it('that gets another name is found under the new one only', () => {
    const sightings = new Sightings();
    sightings.see(row, 1_000);
    expect(sightings.see({ ...row, name: 'api' }, 2_000)).toBe('changed');
    expect([sightings.idsOf('web'), sightings.idsOf('api')]).toEqual([[], ['id-1']]);
  });

  it('that is shown as it was before is stale, until that is all that is ever shown', () => {
    const sightings = new Sightings();
    const older = { ...row, updatedTime: '2026-01-01 00:00:00' };
    sightings.see(row, 1_000);
    expect(sightings.see(older, 0)).toBe('stale');
    expect(sightings.see(row, 1_000)).toBe('same');
    expect([1, 2, 3, 4, 5].map(() => sightings.see(older, 0))).toEqual(['stale', 'stale', 'stale', 'changed', 'same']);
  });
});
