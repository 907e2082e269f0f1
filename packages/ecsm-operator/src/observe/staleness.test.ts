/** Which reads of the platform are stale, and for how long they are rejected. */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { parseTime } from '@ecsm/client';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type PlatformService, removalMs } from '../resource/model.ts';
import { ServiceRecords } from './service-records.ts';
import { Staleness } from './staleness.ts';

const body: ServiceBody = {
  name: 'web',
  image: { ref: 'web@1.0.0#sylixos', action: 'run', config: {} },
  node: { names: ['n'] },
  policy: 'dynamic',
  factor: 3,
};

function service(updatedTime: string, factor = 3): PlatformService {
  const detail: ServiceDetail = {
    ...body,
    id: '1',
    status: 'complete',
    policy: 'dynamic',
    updatedTime,
    factor,
    image: { ref: 'web@1.0.0#sylixos', action: 'run', config: {} },
    node: { names: ['n'] },
  };
  const instances = [
    { taskId: 't', name: 'i', nodeName: 'n', status: 'running', deployment: 'success', restarts: 0 } as const,
  ];
  const common = { id: '1', name: 'web', policy: 'dynamic', factor, nodeNames: ['n'] } as const;
  return { ...common, updatedTime, isDeploying: false, instances, detail };
}

function bench() {
  const clock = new VirtualClock();
  const timeOf = (text: string | null | undefined) => (text == null ? undefined : parseTime(text));
  return { clock, staleness: new Staleness(new ServiceRecords(clock), clock, timeOf) };
}

describe('a read of a service', () => {
  it('that is older than one before is stale', () => {
    const { staleness } = bench();
    expect(staleness.reasonOf([service('2026-01-01 00:00:05')])).toBeUndefined();
    expect(staleness.reasonOf([service('2026-01-01 00:00:04')])).toMatch(/a later version was read/);
    expect(staleness.reasonOf([service('2026-01-01 00:00:05')])).toBeUndefined();
  });

  it('is accepted after a while without a newer one: the clock of the platform was set back', async () => {
    const { staleness, clock } = bench();
    staleness.reasonOf([service('2026-01-01 00:00:05')]);
    for (let second = 0; second < 30; second++) {
      expect(staleness.reasonOf([service('2026-01-01 00:00:04')])).toBeDefined();
      await clock.advance(1_000);
    }
    expect(staleness.reasonOf([service('2026-01-01 00:00:04')])).toBeUndefined();
    expect(staleness.reasonOf([service('2026-01-01 00:00:04')])).toBeUndefined();
  });

  it('without the last update is stale for a while', async () => {
    const { staleness, clock } = bench();
    const before = service('2026-01-01 00:00:05', 1);
    staleness.updated(before, body);
    expect(staleness.reasonOf([before])).toMatch(/is not visible yet/);
    await clock.advance(31_000);
    expect(staleness.reasonOf([before])).toBeUndefined();
  });

  it('of a later version, or with the update within the same second, is accepted', () => {
    const { staleness } = bench();
    staleness.updated(service('2026-01-01 00:00:05', 1), body);
    expect(staleness.reasonOf([service('2026-01-01 00:00:05', 3)])).toBeUndefined();
    staleness.updated(service('2026-01-01 00:00:05', 1), body);
    expect(staleness.reasonOf([service('2026-01-01 00:00:06', 1)])).toBeUndefined();
  });
});

it('instances of a service that is being deleted exist, but are not ready', async () => {
  const { staleness, clock } = bench();
  staleness.deleted('1');
  expect(staleness.isBeingDeleted('1')).toBe(true);
  expect(staleness.corrected([service('x')])[0]?.instances[0]).toMatchObject({ deployment: 'deploying' });
  await clock.advance(removalMs);
  expect(staleness.isBeingDeleted('1')).toBe(false);
  expect(staleness.corrected([service('x')])[0]?.instances[0]).toMatchObject({ deployment: 'success' });
});
