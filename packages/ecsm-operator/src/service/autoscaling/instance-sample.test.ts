import type { ContainerRow } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { readySeconds, sampleOf } from './instance-sample.ts';

const row: ContainerRow = {
  taskId: 't1',
  name: 'web-1',
  serviceId: 's1',
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
  uptime: 3_600,
  restartCnt: 0,
  cpuUsage: { total: 50, cores: [40, 60, 50, 50] },
  memoryLimit: '1000',
  memoryUsage: 100,
  sizeUsage: 5,
  sizeLimit: 50,
};

const sample = (change: Partial<ContainerRow> = {}, offlineNodes: readonly string[] = []) =>
  sampleOf({ ...row, ...change }, { offlineNodes: new Set(offlineNodes), removedIds: new Set(['gone']) });
const ready = { phase: 'running', isReady: true, wasReady: true };

describe('an instance of the platform', () => {
  it('has the usage that its row reports', () => {
    expect(sample()).toEqual({
      ...ready,
      usage: {
        cpuPercent: 50,
        cpuCores: 2,
        memoryBytes: 100,
        memoryLimitBytes: 1_000,
        diskBytes: 5,
        diskLimitBytes: 50,
      },
    });
  });

  it('has no usage that its row does not report', () => {
    const none = { cpuUsage: null, memoryUsage: null, memoryLimit: null, sizeUsage: null, sizeLimit: null };
    expect(sample(none)).toEqual({ ...ready, usage: {} });
    expect(sample({ ...none, cpuUsage: 20 }).usage).toEqual({ cpuPercent: 20, cpuCores: 0.2 });
  });

  it('is pending while it is deployed, and ignored after a failure or in a service that is being deleted', () => {
    expect(sample({ deployStatus: 'deploying' })).toMatchObject({ phase: 'pending', usage: {} });
    expect(sample({ deployStatus: 'failure' }).phase).toBe('gone');
    expect(sample({ serviceId: 'gone' }).phase).toBe('gone');
  });

  it('has no known usage if it does not run, or if its node is offline', () => {
    for (const status of ['exited', 'paused', 'created', null] as const) {
      expect(sample({ status })).toMatchObject({ phase: 'running', usage: {} });
    }
    expect(sample({}, ['node-1'])).toMatchObject({ phase: 'running', isReady: false, usage: {} });
  });

  it('is ready when it has run for a while; after a restart it was ready before', () => {
    expect(sample({ uptime: readySeconds - 1 })).toMatchObject({ isReady: false, wasReady: false });
    expect(sample({ uptime: readySeconds })).toMatchObject({ isReady: true });
    expect(sample({ uptime: null })).toMatchObject({ isReady: true });
    expect(sample({ uptime: 1, restartCnt: 1 })).toMatchObject({ isReady: false, wasReady: true });
  });
});
