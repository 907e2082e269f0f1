import { describe, expect, it } from 'vitest';
import { refusal, setUp, spec, startMs } from './platform.kit.ts';

describe('the configuration centre', () => {
  it('keeps a value for each key', () => {
    const { platform } = setUp();
    const entry = platform.putConfiguration({ key: '/a/b', type: 'json', value: { deep: [1] } });
    expect(platform.configuration()).toEqual([{ ...entry, createdMs: startMs, value: { deep: [1] } }]);
    platform.putConfiguration({ id: entry.id, key: '/a/c', type: 'number', value: 5 });
    expect(platform.configuration()).toMatchObject([{ id: entry.id, key: '/a/c', type: 'number', value: 5 }]);
    platform.deleteConfiguration(entry.id);
    expect(platform.configuration()).toEqual([]);
  });

  it('rejects a key that is taken or empty, and an unknown id', () => {
    const { platform } = setUp();
    platform.putConfiguration({ key: 'a', type: 'string', value: '' });
    const { id } = platform.putConfiguration({ key: 'b', type: 'string', value: '' });
    expect(refusal(() => platform.putConfiguration({ key: 'a', type: 'string', value: '' }))).toBe(
      'configurationKeyTaken',
    );
    expect(refusal(() => platform.putConfiguration({ id, key: 'a', type: 's', value: '' }))).toBe(
      'configurationKeyTaken',
    );
    expect(refusal(() => platform.putConfiguration({ id, key: 'b', type: 's', value: 'new' }))).toBe('not refused');
    expect(refusal(() => platform.putConfiguration({ key: '', type: 's', value: '' }))).toBe('badRequest');
    expect(refusal(() => platform.putConfiguration({ id: 'x', key: 'c', type: 's', value: '' }))).toBe(
      'configurationNotFound',
    );
    expect(refusal(() => platform.deleteConfiguration('x'))).toBe('configurationNotFound');
  });
});

describe('load balance', () => {
  it('is round robin, or one master and its slaves', () => {
    const { platform } = setUp();
    const { id, taskIds } = platform.createService(spec({ factor: 2 }));
    const [first = '', second = ''] = taskIds;
    expect(platform.loadBalanceOf(id)).toEqual({ mode: 'roundRobin', detail: [] });
    const detail = [
      { id: first, master: true },
      { id: second, master: false },
    ];
    platform.setLoadBalance(id, { mode: 'masterSlave', detail });
    expect(platform.loadBalanceOf(id)).toEqual({ mode: 'masterSlave', detail });
    platform.setLoadBalance(id, { mode: 'roundRobin', detail: [] });
    expect(platform.loadBalanceOf(id).mode).toBe('roundRobin');
  });

  it('rejects inconsistent values', () => {
    const { platform } = setUp();
    const { id, taskIds } = platform.createService(spec({ factor: 2 }));
    const [first = '', second = ''] = taskIds;
    const set = (mode: 'roundRobin' | 'masterSlave', ...detail: { id: string; master: boolean }[]) =>
      refusal(() => platform.setLoadBalance(id, { mode, detail }));
    expect(set('roundRobin', { id: first, master: true })).toBe('badRequest');
    expect(set('masterSlave')).toBe('badRequest');
    expect(set('masterSlave', { id: 'nobody', master: true })).toBe('badRequest');
    expect(set('masterSlave', { id: first, master: true }, { id: second, master: true })).toBe('badRequest');
    expect(set('masterSlave', { id: first, master: true }, { id: first, master: false })).toBe('badRequest');
    expect(refusal(() => platform.setLoadBalance('nobody', { mode: 'roundRobin', detail: [] }))).toBe(
      'serviceNotFound',
    );
  });

  it('drops removed containers, and follows replaced ones', () => {
    const { platform, pass } = setUp({ behaviour: { updateTaskId: 'new' } });
    const { id, taskIds } = platform.createService(spec({ factor: 2 }));
    const detail = taskIds.map((taskId, place) => ({ id: taskId, master: place === 0 }));
    platform.setLoadBalance(id, { mode: 'masterSlave', detail });
    pass(5_000);
    const changed = platform.updateService(id, spec({ factor: 1, image: { ref: 'worker@1.1.0#sylixos' } }));
    pass(5_000);
    expect(platform.loadBalanceOf(id).detail).toEqual([{ id: changed.taskIds[0], master: true }]);
  });
});
