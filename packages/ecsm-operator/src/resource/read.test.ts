import { type ContainerRow, parseTime, type ServiceDetail } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { readService, restartsOf } from './read.ts';

const timeOf = (text: string | null | undefined) => (text == null ? undefined : parseTime(text));
const detail: ServiceDetail = {
  id: 's-1',
  name: 'worker',
  status: 'complete',
  updatedTime: '2026-01-01 00:00:00',
  policy: 'dynamic',
  factor: 2,
  node: { names: ['node-1', 'node-2'] },
  image: { config: { env: ['ECSM_OWNER=r/default/worker/u', 'ECSM_REVISION=0a1b2c3d'] } },
};
const row: ContainerRow = {
  taskId: 't-1',
  name: 'worker-1',
  serviceId: 's-1',
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
  startedTime: '2026-01-01T00:00:05Z',
  restartCnt: 3,
};
const read = (change: Partial<ServiceDetail> = {}, rows: readonly ContainerRow[] = []) =>
  readService({ ...detail, ...change }, rows, timeOf);

describe('a service as it is read', () => {
  it('has the fields that plans need', () => {
    expect(read({}, [row, { ...row, taskId: 't-9', serviceId: 's-9' }])).toEqual({
      id: 's-1',
      name: 'worker',
      mark: { registry: 'r', namespace: 'default', name: 'worker', uid: 'u', revision: '0a1b2c3d' },
      policy: 'dynamic',
      factor: 2,
      nodeNames: ['node-1', 'node-2'],
      updatedTime: '2026-01-01 00:00:00',
      isDeploying: false,
      instances: [
        {
          taskId: 't-1',
          name: 'worker-1',
          nodeName: 'node-1',
          status: 'running',
          deployment: 'success',
          restarts: 3,
          startedMs: 1_767_225_605_000,
        },
      ],
      detail,
    });
  });

  it('has no mark if there is none', () => {
    expect(read({ image: null })).not.toHaveProperty('mark');
  });

  it('has one instance for each node if it is static', () => {
    expect(read({ policy: 'static', factor: 7 })).toMatchObject({ policy: 'static', factor: 2 });
  });

  it.each<[what: string, change: Partial<ServiceDetail>, seen: object]>([
    ['a factor as text', { factor: '5' }, { factor: 5 }],
    ['no factor: as many as there are', { factor: null }, { factor: 1 }],
    ['nodes only in the list', { node: null, nodeList: [{ nodeName: 'node-3' }, {}] }, { nodeNames: ['node-3'] }],
    ['no nodes at all', { node: null }, { nodeNames: [] }],
    ['holes among the nodes', { node: { names: ['a', null] } }, { nodeNames: ['a'] }],
    ['a policy that is new', { policy: 'elastic' }, { policy: 'static' }],
    ['a deployment under way', { status: 'deploying' }, { isDeploying: true }],
    ['a status that is new', { status: 'stopped' }, { isDeploying: false }],
  ])('%s', (_, change, seen) => {
    expect(read(change, [row])).toMatchObject(seen);
  });

  it.each([
    [-1, 0],
    [2.5, 2],
    ['3', 3],
    ['many', 0],
    [1e300, 0],
  ])('reads %s restarts as %s, which a status can have', (restartCnt, restarts) => {
    expect(read({}, [{ ...row, restartCnt }]).instances).toMatchObject([{ restarts }]);
    expect(restartsOf({ restartCnt })).toBe(restarts);
  });

  it('has the message of a failure on one line of bounded length, without passwords', () => {
    const failedMessage = `pull of\nhttp://me:topsecret@images/worker \u001b[31mfailed ${'x'.repeat(40_000)}`;
    const [instance] = read({}, [{ ...row, deployStatus: 'failure', failedMessage }]).instances;
    expect(instance?.message).toMatch(/^pull of http:.* \[31mfailed x+…$/u);
    expect(instance?.message).not.toContain('topsecret');
    expect(instance?.message?.length).toBeLessThanOrEqual(1_000);
  });

  it('keeps unknown states of an instance unknown', () => {
    const { startedTime: _, restartCnt: __, ...bare } = row;
    const [instance] = read({}, [
      { ...bare, status: null, deployStatus: 'failure', failedMessage: 'no image' },
    ]).instances;
    expect(instance).toStrictEqual({
      taskId: 't-1',
      name: 'worker-1',
      nodeName: 'node-1',
      status: null,
      deployment: 'failure',
      message: 'no image',
      restarts: 0,
    });
  });
});
