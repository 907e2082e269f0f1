import type { JsonObject } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { setUp, spec } from './platform.kit.ts';

const check = { healthPath: '/health', healthStartPeriod: 5_000, healthInterval: 2_000, healthRetries: 3 };

/** A container that runs for ten seconds and whose health check has just started to fail. */
function unwell(vsoa: JsonObject | undefined, behaviour: Partial<Behaviour> = {}) {
  const world = setUp({ behaviour: { ...behaviour, startMs: 0, pullBytesPerSecond: 1e15 } });
  world.platform.createService(spec({ nodeNames: ['n1'], image: vsoa === undefined ? {} : { vsoa } }));
  world.pass(10_000);
  const { taskId } = world.only('worker');
  world.platform.setContainerHealth(taskId, false);
  const isWell = () => [
    world.platform.isContainerHealthy(world.only('worker')),
    world.platform.isHealthy(world.service('worker')),
  ];
  return { ...world, taskId, isWell };
}

describe('a health check that fails', () => {
  it('makes container and service unhealthy until it passes', () => {
    const { platform, taskId, isWell } = unwell(check);
    expect(isWell()).toEqual([false, false]);
    platform.setContainerHealth(taskId, true);
    expect(isWell()).toEqual([true, true]);
  });

  it('has no effect without a health check', () => {
    expect(unwell(undefined).isWell()).toEqual([true, true]);
    expect(unwell({ port: 0 }).isWell()).toEqual([true, true]);
  });

  it('has no effect in the start period', () => {
    const { platform, pass, taskId, isWell } = unwell(check);
    platform.killContainer(taskId);
    pass(2_000 + 4_999);
    expect(isWell()).toEqual([true, true]);
    pass(1);
    expect(isWell()).toEqual([false, false]);
  });

  it('restarts nothing without a liveness probe', () => {
    const { pass, only } = unwell(check);
    pass(600_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 0 });
  });
});

describe('a liveness probe', () => {
  const probe = { ...check, livenessProbe: true };

  it('restarts an unhealthy container repeatedly', () => {
    const { platform, pass, only, taskId } = unwell(probe);
    pass(5_999);
    expect(only('worker').status).toBe('running');
    pass(1);
    expect(only('worker').status).toBe('exited');
    pass(2_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 1 });
    // Start period, three checks, restart delay.
    pass(13_000);
    expect(only('worker').restartCnt).toBe(2);
    platform.setContainerHealth(taskId, true);
    pass(600_000);
    expect(only('worker').restartCnt).toBe(2);
  });

  it('restarts it even if containers that exit are not restarted', () => {
    const { pass, only } = unwell(probe, { selfRestart: 'never' });
    pass(8_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 1 });
  });

  it('does not restart a container that recovers in time', () => {
    const { platform, pass, only, taskId } = unwell(probe);
    pass(5_000);
    platform.setContainerHealth(taskId, true);
    platform.setContainerHealth(taskId, false);
    pass(5_999);
    expect(only('worker').status).toBe('running');
    pass(1);
    expect(only('worker').status).toBe('exited');
  });

  it('is disabled by a switch, until the switch is set', () => {
    const { platform, pass, only } = unwell(probe, { livenessProbe: 'ignore' });
    pass(600_000);
    expect(only('worker').restartCnt).toBe(0);
    platform.setBehaviour({ livenessProbe: 'restart' });
    pass(8_000);
    expect(only('worker').restartCnt).toBe(1);
  });

  it('does not affect a paused container', () => {
    const { platform, pass, only } = unwell(probe);
    platform.controlContainer(only('worker').name, 'pause');
    pass(600_000);
    expect(only('worker')).toMatchObject({ status: 'paused', restartCnt: 0 });
  });
});
