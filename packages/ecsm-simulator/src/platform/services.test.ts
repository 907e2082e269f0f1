import { describe, expect, it } from 'vitest';
import { refusal, setUp, spec, startMs } from './platform.kit.ts';
import { recordsMax } from './records.ts';

describe('deleting a service', () => {
  it('deletes the service, its containers and its records after the delay', () => {
    const { platform, pass, service } = setUp();
    const { id, taskIds } = platform.createService(spec({ factor: 2 }));
    pass(5_000);
    const [record] = platform.recordsOf(id);
    platform.setLoadBalance(id, { mode: 'masterSlave', detail: [{ id: taskIds[0] ?? '', master: true }] });
    platform.controlContainer(platform.container(taskIds[0] ?? '')?.name ?? '', 'restart');
    const transaction = platform.deleteService(id);
    expect(transaction).toMatchObject({ status: 'running', timestampMs: startMs + 5_000 });
    expect(service('worker').deletingMs).toBe(startMs + 5_000);
    pass(499);
    expect(platform.containersOfService(id)).toHaveLength(2);
    pass(1);
    expect(platform.service(id)).toBeUndefined();
    expect(platform.containersOfService(id)).toEqual([]);
    expect(platform.historyOf(taskIds[0] ?? '')).toEqual([]);
    expect([platform.recordsOf(id), platform.record(record?.id ?? '')]).toEqual([[], undefined]);
    expect(platform.snapshot()).toMatchObject({ containers: {}, loadBalance: {}, records: [], history: [] });
    expect(platform.transaction(transaction.id)).toMatchObject({ status: 'success', timestampMs: startMs + 5_500 });
  });

  it('is what destroy does, and is rejected a second time', () => {
    const { platform } = setUp();
    const { id } = platform.createService(spec());
    platform.controlService(id, 'destroy');
    expect(refusal(() => platform.deleteService(id))).toBe('serviceBusy');
    expect(refusal(() => platform.controlService(id, 'stop'))).toBe('serviceBusy');
    expect(refusal(() => platform.deleteService('nobody'))).toBe('serviceNotFound');
  });

  it('works while its nodes are lost', () => {
    const { platform, pass, node } = setUp();
    const { id } = platform.createService(spec({ nodeNames: ['n1'] }));
    platform.cutNode(node('n1').id);
    platform.deleteService(id);
    pass(500);
    expect(platform.snapshot()).toMatchObject({ services: {}, containers: {} });
  });
});

describe('controlling a service', () => {
  it('acts on containers in a suitable state, and skips the others', () => {
    const { platform, pass, containers, service } = setUp();
    const { id } = platform.createService(spec({ factor: 3 }));
    pass(5_000);
    const [first, second, third] = containers('worker');
    platform.controlContainer(first?.name ?? '', 'pause');
    platform.cutNode(second?.nodeId ?? '');
    const transaction = platform.controlService(id, 'stop');
    expect(transaction.status).toBe('running');
    pass(200);
    expect(platform.transaction(transaction.id)?.status).toBe('success');
    expect(containers('worker').map(({ status }) => status)).toEqual(['paused', 'running', 'exited']);
    expect(platform.historyOf(third?.taskId ?? '')).toMatchObject([{ command: 'stop', user: 'admin' }]);
    expect(platform.historyOf(second?.taskId ?? '')).toEqual([]);
    expect(platform.isHealthy(service('worker'))).toBe(false);
  });

  it.each([
    ['complete', 'complete'],
    ['stopped', 'stopped'],
  ] as const)('leaves a service that is stopped %s, by a switch', (stoppedStatus, status) => {
    const { platform, pass, service } = setUp({ behaviour: { stoppedStatus } });
    const { id } = platform.createService(spec({ factor: 2 }));
    pass(5_000);
    expect(platform.statusOfService(service('worker'))).toBe('complete');
    platform.controlService(id, 'stop');
    pass(1_000);
    expect(platform.statusOfService(service('worker'))).toBe(status);
    platform.controlService(id, 'start');
    pass(2_000);
    expect(platform.statusOfService(service('worker'))).toBe('complete');
  });
});

describe('the status of a service with an instance that failed', () => {
  it.each(['complete', 'deploying'] as const)('is %s by a switch', (failedStatus) => {
    const { platform, pass, service } = setUp({ behaviour: { failedStatus } });
    platform.failDeployments({ count: 1 });
    platform.createService(spec({ factor: 2 }));
    pass(5_000);
    expect(platform.statusOfService(service('worker'))).toBe(failedStatus);
    expect(platform.isHealthy(service('worker'))).toBe(false);
  });
});

describe('redeploying a service', () => {
  it('redeploys all containers, including stopped and failed ones, and creates no record', () => {
    const { platform, pass, containers, service } = setUp();
    platform.failDeployments({ count: 1 });
    const { id } = platform.createService(spec({ factor: 3 }));
    pass(5_000);
    platform.controlContainer(containers('worker')[1]?.name ?? '', 'stop');
    pass(1_000);
    platform.redeployService(id);
    expect(platform.statusOfService(service('worker'))).toBe('deploying');
    pass(5_000);
    expect(containers('worker').map(({ status, deployNum }) => [status, deployNum])).toEqual([
      ['running', 2],
      ['running', 2],
      ['running', 2],
    ]);
    expect(platform.recordsOf(id)).toHaveLength(1);
    expect(service('worker').updatedMs).toBe(startMs);
  });
});

describe('records', () => {
  it('are created by creation and updates, newest last, and can be deleted', () => {
    const { platform, pass } = setUp();
    const { id } = platform.createService(spec());
    pass(1_000);
    platform.updateService(id, spec({ factor: 2 }));
    const [first, second] = platform.recordsOf(id);
    expect([first?.spec.factor, second?.spec.factor]).toEqual([1, 2]);
    expect([first?.createdMs, second?.createdMs]).toEqual([startMs, startMs + 1_000]);
    platform.deleteRecord(first?.id ?? '');
    expect(platform.recordsOf(id)).toEqual([second]);
    expect(platform.record(first?.id ?? '')).toBeUndefined();
    expect(refusal(() => platform.deleteRecord(first?.id ?? ''))).toBe('recordNotFound');
  });

  it('are kept up to a limit; the oldest are dropped', () => {
    const { platform } = setUp();
    const { id } = platform.createService(spec());
    const [oldest] = platform.recordsOf(id);
    for (let factor = 1; factor <= recordsMax; factor++) platform.updateService(id, spec({ factor: factor % 3 }));
    expect(platform.recordsOf(id)).toHaveLength(recordsMax);
    expect(platform.record(oldest?.id ?? '')).toBeUndefined();
    expect(platform.snapshot().records).toHaveLength(recordsMax);
  });

  it('can be rolled back to, with a new record; the name stays', () => {
    const { platform, pass, containers, service } = setUp();
    const { id } = platform.createService(spec());
    pass(5_000);
    platform.updateService(id, spec({ name: 'renamed', factor: 2, image: { ref: 'worker@1.1.0#sylixos' } }));
    pass(5_000);
    const transaction = platform.rollbackService(id, platform.recordsOf(id)[0]?.id ?? '');
    expect(transaction.status).toBe('running');
    pass(5_000);
    expect(service('renamed')).toMatchObject({ factor: 1, image: { ref: 'worker@1.0.0#sylixos' } });
    expect(containers('renamed')).toMatchObject([{ imageRef: 'worker@1.0.0#sylixos', status: 'running' }]);
    expect(platform.recordsOf(id)).toHaveLength(3);
    expect(platform.transaction(transaction.id)?.status).toBe('success');
  });

  it('of another service, or of deleted objects, cannot be rolled back to', () => {
    const { platform } = setUp();
    const { id } = platform.createService(spec());
    const other = platform.createService(spec({ name: 'other', image: { ref: 'worker@1.1.0#sylixos' } }));
    const record = platform.recordsOf(other.id)[0]?.id ?? '';
    expect(refusal(() => platform.rollbackService(id, record))).toBe('recordNotFound');
    expect(refusal(() => platform.rollbackService(id, 'nothing'))).toBe('recordNotFound');
    platform.deleteImage('local', platform.imageByRef('worker@1.1.0#sylixos')?.id ?? '');
    expect(refusal(() => platform.rollbackService(other.id, record))).toBe('imageNotFound');
  });
});
