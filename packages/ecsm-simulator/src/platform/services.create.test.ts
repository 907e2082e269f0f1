import { describe, expect, it } from 'vitest';
import { addNode, refusal, setUp, spec, startMs } from './platform.kit.ts';
import { instancesMax } from './spec.ts';

describe('a new service', () => {
  it('is deploying, and complete when its containers run', () => {
    const { platform, pass, service, containers } = setUp();
    const { id, taskIds } = platform.createService(spec({ factor: 3 }), { pathLabel: '/a' });
    expect(service('worker')).toMatchObject({ id, createdMs: startMs, updatedMs: startMs, pathLabel: '/a' });
    expect(containers('worker').map(({ taskId }) => taskId)).toEqual(taskIds);
    for (const container of containers('worker')) {
      expect(container).toMatchObject({ deployStatus: 'deploying', status: 'created', deployNum: 1, imageId: null });
    }
    expect(platform.statusOfService(service('worker'))).toBe('deploying');
    expect(platform.isHealthy(service('worker'))).toBe(false);
    pass(5_000);
    for (const container of containers('worker')) {
      expect(container).toMatchObject({ deployStatus: 'success', status: 'running', restartCnt: 0 });
      expect(container.imageId).toBe(platform.imageByRef('worker@1.0.0#sylixos')?.id);
    }
    expect(platform.statusOfService(service('worker'))).toBe('complete');
    expect(platform.isHealthy(service('worker'))).toBe(true);
  });

  it('of the static policy has one instance on each node, with any factor', () => {
    const { platform, node, containers } = setUp();
    platform.createService(spec({ policy: 'static', factor: 7, nodeNames: ['n1', 'n3', 'n1'] }));
    expect(containers('worker').map(({ nodeId }) => nodeId)).toEqual([node('n1').id, node('n3').id]);
  });

  it('with the action load has containers that are created and do not run', () => {
    const { platform, pass, only, service } = setUp();
    platform.createService(spec({ image: { action: 'load' } }));
    pass(5_000);
    expect(only('worker')).toMatchObject({
      status: 'created',
      deployStatus: 'success',
      wanted: 'loaded',
      startedMs: null,
    });
    expect(platform.statusOfService(service('worker'))).toBe('complete');
  });

  it('has containers with unique names: the service and the start of the task id', () => {
    const { platform, containers } = setUp();
    platform.createService(spec({ factor: 3 }));
    for (const { name, taskId, runtimeId } of containers('worker')) {
      expect(name).toBe(`worker-${taskId.slice(0, 8)}`);
      // On SylixOS a container is known by its name.
      expect(runtimeId).toBe(name);
      expect(platform.containerNamed(name)?.taskId).toBe(taskId);
    }
  });

  it('on Linux has containers with a runtime id of 64 digits', () => {
    const { platform, only } = setUp();
    addNode(platform, 'l1', 9, 'linux');
    platform.createService(spec({ nodeNames: ['l1'], image: { ref: 'gateway@1.0.0#linux', config: {} } }));
    expect(only('worker').runtimeId).toMatch(/^[0-9a-f]{64}$/);
  });

  it('may name its image without the operating system', () => {
    const { platform, pass, only } = setUp();
    platform.createService(spec({ image: { ref: 'worker@1.0.0' } }));
    pass(5_000);
    expect(only('worker').status).toBe('running');
  });
});

describe('an invalid service', () => {
  it.each([
    ['imageNotFound', spec({ image: { ref: 'worker@9.9.9#sylixos' } })],
    ['imageNotFound', spec({ image: { ref: 'worker@1.0.0#linux' } })],
    ['imageUnsuited', spec({ image: { ref: 'gateway@1.0.0#linux' } })],
    ['nodeNotFound', spec({ nodeNames: ['n1', 'n9'] })],
    ['badRequest', spec({ nodeNames: [] })],
    ['badRequest', spec({ name: ' ' })],
    ['badRequest', spec({ name: 'x'.repeat(256) })],
    ['badRequest', spec({ factor: -1 })],
    ['badRequest', spec({ factor: 1.5 })],
    ['badRequest', spec({ factor: instancesMax + 1 })],
  ] as const)('is refused: %s', (why, wanted) => {
    const { platform } = setUp();
    const before = platform.snapshot();
    expect(refusal(() => platform.createService(wanted))).toBe(why);
    expect(platform.snapshot()).toEqual(before);
  });

  it('has a name that is taken, even by a service that is being deleted', () => {
    const { platform, pass } = setUp();
    const { id } = platform.createService(spec());
    expect(refusal(() => platform.createService(spec()))).toBe('serviceNameTaken');
    platform.deleteService(id);
    expect(refusal(() => platform.createService(spec()))).toBe('serviceNameTaken');
    pass(500);
    expect(refusal(() => platform.createService(spec()))).toBe('not refused');
  });
});

describe('a factor of zero', () => {
  it('is a service without instances', () => {
    const { platform, service, containers } = setUp({ behaviour: { factorZero: 'accept' } });
    platform.createService(spec({ factor: 0 }));
    expect(containers('worker')).toEqual([]);
    expect(platform.statusOfService(service('worker'))).toBe('complete');
    expect(platform.isHealthy(service('worker'))).toBe(true);
  });

  it('is rejected, by a switch, for a dynamic service only', () => {
    const { platform } = setUp({ behaviour: { factorZero: 'refuse' } });
    expect(refusal(() => platform.createService(spec({ factor: 0 })))).toBe('badRequest');
    expect(refusal(() => platform.createService(spec({ factor: 0, policy: 'static' })))).toBe('not refused');
  });
});
