import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { asJson, setUp, spec, startMs } from './platform.kit.ts';
import { createPlatform } from './platform.ts';

/** Much that happens by itself: a crash loop, a liveness probe, a lost node, a rolling update. */
function busy() {
  const world = setUp({ behaviour: { update: 'roll', failBack: 'always' } });
  const { platform, pass } = world;
  const vsoa = { healthPath: '/health', livenessProbe: true };
  const { id, taskIds } = platform.createService(spec({ factor: 5, image: { vsoa } }));
  pass(5_000);
  platform.setCrashLoop(taskIds[0] ?? '', 7_000);
  platform.setContainerHealth(taskIds[1] ?? '', false);
  platform.updateService(id, spec({ factor: 6, image: { ref: 'worker@1.1.0#sylixos', vsoa } }));
  platform.cutNode(world.node('n2').id);
  return world;
}

describe('time', () => {
  it('leads to the same state after an hour, read every second or never', () => {
    const watched = busy();
    const alone = busy();
    for (let second = 0; second < 3_600; second++) {
      watched.pass(1_000);
      for (const container of watched.containers('worker')) watched.platform.usageOf(container);
      watched.platform.services();
    }
    alone.pass(3_600_000);
    expect(asJson(watched.platform.snapshot())).toEqual(asJson(alone.platform.snapshot()));
    expect(alone.containers('worker').some(({ restartCnt }) => restartCnt > 100)).toBe(true);
  });

  it('continues when the wall clock is set back', () => {
    const { platform, clock, pass, only } = setUp();
    platform.createService(spec());
    clock.step(-86_400_000);
    expect(platform.now()).toBe(startMs);
    expect(only('worker').deployStatus).toBe('deploying');
    pass(5_000);
    expect(platform.now()).toBe(startMs + 5_000);
    expect(only('worker').status).toBe('running');
  });

  it('continues for a restored platform, even if the clock is behind', () => {
    const first = setUp();
    first.platform.createService(spec());
    const second = setUp({ state: first.platform.snapshot(), nowMs: 1_000 });
    expect(second.platform.now()).toBe(startMs);
    expect(second.platform.nextAtMs()).toBe(2_000);
    second.pass(5_000);
    expect(second.platform.now()).toBe(startMs + 5_000);
    expect(second.only('worker').status).toBe('running');
  });

  it('of the next event is known, and undefined if there is none', () => {
    const { platform, pass } = setUp();
    expect(platform.nextAtMs()).toBeUndefined();
    platform.createService(spec());
    expect(platform.nextAtMs()).toBe(startMs + 1_000);
    pass(10_000);
    expect(platform.nextAtMs()).toBeUndefined();
  });
});

describe('a snapshot', () => {
  it('is JSON, and shares nothing with the platform', () => {
    const { platform, pass } = busy();
    const snapshot = platform.snapshot();
    const before = asJson(snapshot);
    expect(snapshot).toEqual(before);
    pass(60_000);
    expect(asJson(snapshot)).toEqual(before);
    expect(asJson(platform.snapshot())).not.toEqual(before);
  });

  it('is not changed by the platform that starts from it', () => {
    const state = busy().platform.snapshot();
    const before = asJson(state);
    setUp({ state }).pass(60_000);
    expect(asJson(state)).toEqual(before);
  });

  it('with an unknown event is rejected', () => {
    const state = busy().platform.snapshot();
    const strange = JSON.parse(JSON.stringify(state).replace(/"what":"\w+"/, '"what":"constructor"'));
    expect(() => setUp({ state: strange })).toThrow(/agenda: constructor/);
  });

  it('keeps its switches, except those that are set again', () => {
    const state = setUp({ behaviour: 'contrary' }).platform.snapshot();
    const clock = new VirtualClock(startMs);
    const random = new SeededRandom(2);
    const platform = createPlatform({ clock, random, state, behaviour: { update: 'recreate' } });
    expect(platform.behaviour).toMatchObject({ update: 'recreate', updateTaskId: 'new' });
  });
});

describe('switches', () => {
  it.each([
    [{ pullBytesPerSecond: 0 }],
    [{ startMs: -1 }],
    [{ stopMs: Number.NaN }],
    [{ deleteMs: Number.POSITIVE_INFINITY }],
  ])('refuse %o, with which time would stand still', (behaviour) => {
    expect(() => setUp({ behaviour })).toThrow(/请求参数错误/);
    const { platform } = setUp();
    expect(() => platform.setBehaviour(behaviour)).toThrow(/请求参数错误/);
  });

  it('reject unknown values', () => {
    const strange: object = JSON.parse('{"update":"sideways"}');
    expect(() => setUp().platform.setBehaviour(strange)).toThrow(/update has to be recreate or roll/);
    const unknown: object = JSON.parse('{"colour":"red"}');
    expect(() => setUp().platform.setBehaviour(unknown)).toThrow(/colour is not a switch/);
  });
});
