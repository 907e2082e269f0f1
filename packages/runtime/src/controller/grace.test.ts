/** Goal: work of a former leader ends before another leads. Method: virtual time, two candidates, one link that is cut. */
import { settled, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Stage } from '../manager/election.kit.ts';
import { Manager } from '../manager/manager.ts';
import { keyOf } from '../registry/keys.ts';
import type { ControllerOptions } from './contract.ts';
import { Controller } from './controller.ts';

const controllerWith = (options: Partial<ControllerOptions<unknown, unknown, unknown, unknown>> = {}) =>
  new Controller({ name: 'test', kind: Widget, reconcile: async () => {}, ...options });

describe('the grace period of a controller', () => {
  it('ends before the lease of its leader does', async () => {
    const fixture = new Stage();
    const one = fixture.candidate('a');
    const other = fixture.candidate('b');
    const acting = new Set<string>();
    let started = false;
    const controller = controllerWith({
      reconcile: async ({ name }, { signal }) => {
        started = true;
        acting.add(name);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        acting.delete(name);
      },
    });
    const life = new AbortController();
    const manager = new Manager({ registry: fixture.registry, election: one.election }).add(controller);
    const ended = manager.run({ signal: life.signal });
    await fixture.clock.until(() => controller.queue !== undefined);
    controller.queue?.add(keyOf(Widget, 'default', 'busy'), { reason: 'test' });
    await fixture.clock.until(() => started);
    one.link.is = 'silent';
    let overlap: readonly string[] | undefined;
    other.start(async (_, signal) => {
      overlap = [...acting];
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    });
    await fixture.clock.until(() => overlap !== undefined);
    expect(overlap).toEqual([]);
    one.link.is = 'up';
    life.abort();
    other.life.abort();
    await fixture.clock.advance(60_000);
    await Promise.all([ended, other.ended]);
  });

  it('is the time for a reconcile in flight after a stop', async () => {
    const fixture = new Stage();
    let wasAborted: boolean | undefined;
    const controller = controllerWith({
      graceMs: 1_500,
      reconcile: async (_, { signal }) => {
        await new Promise<void>((resolve) => {
          wasAborted = false;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        wasAborted = true;
      },
    });
    const life = new AbortController();
    const ended = controller.run({ registry: fixture.registry, signal: life.signal });
    await settled();
    controller.queue?.add(keyOf(Widget, 'default', 'busy'), { reason: 'test' });
    await fixture.clock.until(() => wasAborted === false);
    life.abort();
    await fixture.clock.advance(1_499);
    expect(wasAborted).toBe(false);
    await fixture.clock.advance(1);
    expect(wasAborted).toBe(true);
    await ended;
  });
});

describe('a manager with an election', () => {
  const managerWith = (leaseMs: number) => {
    const fixture = new Stage();
    const election = fixture.candidate('a', { leaseMs, renewDeadlineMs: 2_000, retryMs: 500 }).election;
    return new Manager({ registry: fixture.registry, election });
  };

  it('rejects a controller whose grace period is longer than the rest of the lease', () => {
    const message =
      'leader election: renewDeadlineMs (2000) + graceMs of "test" (4000) = 6000 must be less than leaseMs (6000), or two leaders could act at the same time';
    expect(() => managerWith(6_000).add(controllerWith())).toThrow(message);
  });

  it('accepts one whose grace period is shorter, and one that needs no leader', () => {
    managerWith(6_001).add(controllerWith());
    managerWith(3_000).add(controllerWith({ graceMs: 999 }));
    managerWith(3_000).add({ name: 'free', needsLeader: false, graceMs: 60_000, run: async () => {} });
  });
});
