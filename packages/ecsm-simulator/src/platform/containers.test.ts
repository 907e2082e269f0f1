import { describe, expect, it } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { historyEntriesMax } from './history.ts';
import type { ContainerAction } from './model.ts';
import { addNode, refusal, type SpecChange, setUp, spec } from './platform.kit.ts';

function running(behaviour: Partial<Behaviour> = {}, change: SpecChange = {}) {
  const world = setUp({ behaviour });
  const { id } = world.platform.createService(spec({ nodeNames: ['n1'], policy: 'static', ...change }));
  world.pass(5_000);
  const { name, taskId } = world.only('worker');
  const control = (action: ContainerAction) => world.platform.controlContainer(name, action);
  const status = () => world.only('worker').status;
  return { ...world, id, name, taskId, control, status };
}

describe('a container', () => {
  it('is stopped, started, paused, unpaused and restarted', () => {
    const { platform, pass, control, status } = running();
    const stop = control('stop');
    expect([status(), stop.status]).toEqual(['running', 'running']);
    pass(200);
    expect([status(), platform.transaction(stop.id)?.status]).toEqual(['exited', 'success']);
    const start = control('start');
    pass(799);
    expect([status(), platform.transaction(start.id)?.status]).toEqual(['exited', 'running']);
    pass(401);
    expect([status(), platform.transaction(start.id)?.status]).toEqual(['running', 'success']);
    control('pause');
    expect(status()).toBe('paused');
    control('unpause');
    expect(status()).toBe('running');
    control('restart');
    pass(200);
    expect(status()).toBe('exited');
    pass(1_200);
    expect(status()).toBe('running');
  });

  it('keeps its restart count after a manual restart, and starts a new uptime', () => {
    const { platform, pass, control, only } = running();
    pass(60_000);
    control('restart');
    pass(1_400);
    expect(only('worker').restartCnt).toBe(0);
    expect(platform.usageOf(only('worker')).uptimeSeconds).toBeLessThan(1);
  });

  it.each([
    ['running', [], ['start', 'unpause']],
    ['exited', ['stop'], ['stop', 'pause', 'unpause']],
    ['paused', ['pause'], ['start', 'stop', 'pause']],
  ] as const)('that is %s cannot do everything', (wanted, way, refused) => {
    const { pass, control, status } = running();
    for (const action of way) control(action);
    pass(1_000);
    expect(status()).toBe(wanted);
    for (const action of refused) expect(refusal(() => control(action))).toBe('containerState');
  });

  it('rejects actions if it is not deployed, unknown or offline', () => {
    const { platform, control, id, node } = running();
    expect(refusal(() => platform.controlContainer('nobody', 'stop'))).toBe('containerNotFound');
    platform.redeployService(id);
    expect(refusal(() => control('restart'))).toBe('containerState');
    platform.cutNode(node('n1').id);
    expect(refusal(() => control('restart'))).toBe('nodeOffline');
  });

  it('that was loaded can be started', () => {
    const { pass, control, status } = running({}, { image: { action: 'load' } });
    expect(status()).toBe('created');
    control('start');
    pass(2_000);
    expect(status()).toBe('running');
  });

  it('follows the last action', () => {
    const { pass, control, status } = running();
    control('stop');
    control('restart');
    pass(10_000);
    expect(status()).toBe('running');
    control('restart');
    control('stop');
    pass(10_000);
    expect(status()).toBe('exited');
  });

  it('keeps a history of actions, up to a limit', () => {
    const { platform, control, taskId } = running();
    control('stop');
    expect(platform.historyOf(taskId)).toMatchObject([{ taskId, command: 'stop', user: 'admin' }]);
    for (let count = 0; count < historyEntriesMax; count++) control('restart');
    expect(platform.historyOf(taskId)).toHaveLength(historyEntriesMax);
    expect(platform.historyOf(taskId)[0]?.command).toBe('restart');
  });
});

describe('a container that ends by itself', () => {
  it('is restarted after a delay, and counted', () => {
    const { platform, pass, taskId, status, only } = running();
    platform.killContainer(taskId);
    expect(status()).toBe('exited');
    pass(1_999);
    expect(status()).toBe('exited');
    pass(1);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 1 });
    expect(platform.historyOf(taskId)).toEqual([]);
  });

  it('stays stopped by a switch', () => {
    const { platform, pass, taskId, only } = running({ selfRestart: 'never' });
    platform.killContainer(taskId);
    pass(60_000);
    expect(only('worker')).toMatchObject({ status: 'exited', restartCnt: 0 });
  });

  it('stays stopped on Linux with the restart policy "no"', () => {
    const { platform, pass, only } = setUp();
    addNode(platform, 'l1', 9, 'linux');
    for (const [name, restart] of [
      ['never', 'no'],
      ['always', 'always'],
    ] as const) {
      platform.createService(
        spec({ name, nodeNames: ['l1'], image: { ref: 'gateway@1.0.0#linux', config: { restart } } }),
      );
    }
    pass(5_000);
    for (const name of ['never', 'always']) platform.killContainer(only(name).taskId);
    pass(5_000);
    expect([only('never').status, only('always').status]).toEqual(['exited', 'running']);
  });

  it('stays stopped if it was stopped before the restart', () => {
    const { platform, pass, taskId, control, status } = running();
    platform.killContainer(taskId);
    control('stop');
    pass(60_000);
    expect(status()).toBe('exited');
    expect(refusal(() => platform.killContainer(taskId))).toBe('containerState');
    expect(refusal(() => platform.killContainer('nobody'))).toBe('containerNotFound');
  });

  it('starts only once if it is started before the restart', () => {
    const { platform, pass, taskId, control, only } = running();
    platform.killContainer(taskId);
    control('start');
    pass(60_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 0 });
  });

  it('can be started before its restart', () => {
    for (const selfRestart of ['always', 'never'] as const) {
      const { platform, pass, taskId, control, status } = running({ selfRestart });
      control('restart');
      pass(100);
      platform.killContainer(taskId);
      pass(10_000);
      expect(status()).toBe('running');
    }
  });
});

describe('a crash loop', () => {
  it('crashes the container after each start, until the loop is stopped', () => {
    const { platform, pass, taskId, only } = running();
    platform.setCrashLoop(taskId, 3_000);
    pass(3_000);
    expect(only('worker').status).toBe('exited');
    pass(2_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 1 });
    pass(50_000);
    expect(only('worker').restartCnt).toBe(11);
    platform.setCrashLoop(taskId, null);
    pass(60_000);
    expect(only('worker')).toMatchObject({ status: 'running', restartCnt: 11 });
  });

  it('continues after a redeployment, with a new restart count', () => {
    const { platform, pass, taskId, id, only } = running();
    platform.setCrashLoop(taskId, 3_000);
    pass(60_000);
    platform.redeployService(id);
    pass(5_500);
    expect(only('worker').restartCnt).toBe(0);
    pass(10_000);
    expect(only('worker').restartCnt).toBeGreaterThan(0);
  });

  it('pauses while the container is paused or stopped', () => {
    const { platform, pass, taskId, control, only } = running();
    platform.setCrashLoop(taskId, 3_000);
    control('pause');
    pass(60_000);
    expect(only('worker')).toMatchObject({ status: 'paused', restartCnt: 0 });
    control('unpause');
    pass(3_000);
    expect(only('worker').status).toBe('exited');
    control('stop');
    pass(60_000);
    expect(only('worker')).toMatchObject({ status: 'exited', restartCnt: 0 });
  });

  it('without delay does not block the time', () => {
    const { platform, pass, taskId, only } = running({ restartDelayMs: 0 });
    platform.setCrashLoop(taskId, 0);
    pass(1_000);
    expect(only('worker').restartCnt).toBe(100);
    expect(refusal(() => platform.setCrashLoop(taskId, -1))).toBe('badRequest');
    expect(refusal(() => platform.setCrashLoop(taskId, Number.NaN))).toBe('badRequest');
  });

  it('continues on an offline node', () => {
    const { platform, pass, taskId, node, only } = running();
    platform.setCrashLoop(taskId, 3_000);
    platform.cutNode(node('n1').id);
    pass(50_000);
    expect(only('worker').restartCnt).toBe(10);
  });
});
