/** Which pictures of the platform are too old to decide on, and how long that is held against them. */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { parseTime } from '@ecsm/client';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type PlatformService, removalMs } from '../resource/model.ts';
import { Freshness } from './staleness.ts';

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
  return { clock, freshness: new Freshness(clock, (text) => (text == null ? undefined : parseTime(text))) };
}

describe('a picture', () => {
  it('that is older than one seen before does not count', () => {
    const { freshness } = bench();
    expect(freshness.complaint([service('2026-01-01 00:00:05')])).toBeUndefined();
    expect(freshness.complaint([service('2026-01-01 00:00:04')])).toMatch(/a later version was seen/);
    expect(freshness.complaint([service('2026-01-01 00:00:05')])).toBeUndefined();
  });

  it('is believed when nothing newer is shown for long: the clock of the platform was set back', async () => {
    const { freshness, clock } = bench();
    freshness.complaint([service('2026-01-01 00:00:05')]);
    for (let second = 0; second < 30; second++) {
      expect(freshness.complaint([service('2026-01-01 00:00:04')])).toBeDefined();
      await clock.advance(1_000);
    }
    expect(freshness.complaint([service('2026-01-01 00:00:04')])).toBeUndefined();
    expect(freshness.complaint([service('2026-01-01 00:00:04')])).toBeUndefined();
  });

  it('that does not show the last update does not count, for a while', async () => {
    const { freshness, clock } = bench();
    const before = service('2026-01-01 00:00:05', 1);
    freshness.updated(before, body);
    expect(freshness.complaint([before])).toMatch(/does not show its last update/);
    await clock.advance(31_000);
    expect(freshness.complaint([before])).toBeUndefined();
  });

  it('of a later version, or that shows the update within the same second, counts', () => {
    const { freshness } = bench();
    freshness.updated(service('2026-01-01 00:00:05', 1), body);
    expect(freshness.complaint([service('2026-01-01 00:00:05', 3)])).toBeUndefined();
    freshness.updated(service('2026-01-01 00:00:05', 1), body);
    expect(freshness.complaint([service('2026-01-01 00:00:06', 1)])).toBeUndefined();
  });
});

it('instances of a service that is being deleted are there, but not ready, for as long as that may take', async () => {
  const { freshness, clock } = bench();
  freshness.deleted('1');
  expect(freshness.isBeingDeleted('1')).toBe(true);
  expect(freshness.corrected([service('x')])[0]?.instances[0]).toMatchObject({ deployment: 'deploying' });
  await clock.advance(removalMs);
  expect(freshness.isBeingDeleted('1')).toBe(false);
  expect(freshness.corrected([service('x')])[0]?.instances[0]).toMatchObject({ deployment: 'success' });
});
