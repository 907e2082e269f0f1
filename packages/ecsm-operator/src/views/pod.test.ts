import { describe, expect, it } from 'vitest';
import { bareRow, containerRow, mark, observation, stale } from './facts.kit.ts';
import { instancesOf, podOf } from './pod.ts';
import { Pod } from './pod-kind.ts';

function podFor(change: Parameters<typeof containerRow>[0] = {}): Pod {
  const [facts] = instancesOf([containerRow(change)], () => mark);
  if (facts === undefined) throw new Error('no instance');
  return podOf(facts, observation);
}

function columnsOf(pod: Pod): Record<string, string> {
  return Object.fromEntries(Pod.columns.map(({ name, value }) => [name, value(pod)]));
}

describe('podOf', () => {
  it('converts a running instance of an ECSMService', () => {
    const pod = podFor();
    expect(pod.metadata).toMatchObject({
      namespace: 'space',
      name: expect.stringMatching(/^telemetry-[0-9a-f]{12}$/),
      uid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      creationTimestamp: '2026-01-02T03:04:04Z',
      labels: {
        'app.kubernetes.io/name': 'telemetry',
        'app.kubernetes.io/managed-by': 'ecsm-operator',
        'ecsm.sh/service': 'telemetry',
        'ecsm.sh/revision': '12ab34cd',
      },
      annotations: { 'ecsm.sh/platform-name': 'telemetry-1a2b3c4d' },
      ownerReferences: [
        { apiVersion: 'ecsm.sh/v1', kind: 'ECSMService', name: 'telemetry', uid: 'uid-1', controller: true },
      ],
    });
    const limits = { memory: '512Mi', 'ephemeral-storage': '1Gi' };
    expect(pod.spec).toEqual({
      nodeName: 'node-1',
      schedulerName: 'ecsm',
      containers: [{ name: 'telemetry', image: 'telemetry@1.0.0#sylixos', resources: { limits } }],
    });
    expect(pod.status).toEqual({
      phase: 'Running',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' },
      ],
      hostIP: '10.0.0.1',
      startTime: '2026-01-02T03:04:05Z',
      containerStatuses: [
        {
          name: 'telemetry',
          image: 'telemetry@1.0.0#sylixos',
          imageID: 'image-1',
          containerID: 'ecsm://telemetry-1a2b3c4d',
          ready: true,
          started: true,
          restartCount: 2,
          state: { running: { startedAt: '2026-01-02T03:04:05Z' } },
        },
      ],
    });
    expect(columnsOf(pod)).toEqual({
      READY: '1/1',
      STATUS: 'Running',
      RESTARTS: '2',
      IP: '<none>',
      NODE: 'node-1',
      'NOMINATED NODE': '<none>',
      'READINESS GATES': '<none>',
    });
    expect(Pod.validate(pod)).toEqual([]);
  });

  it.each([
    [{ deployStatus: 'deploying', status: 'created' }, 'Pending', 'ContainerCreating'],
    [{ deployStatus: 'deploying', status: null }, 'Unknown', 'StatusUnknown'],
    [{ deployStatus: 'failure', status: null, failedMessage: 'no image' }, 'Failed', 'DeployFailed'],
    [{ status: 'created' }, 'Pending', 'Created'],
    [{ status: 'paused' }, 'Running', 'Paused'],
    [{ status: 'exited' }, 'Failed', 'Exited'],
    [{ status: null }, 'Unknown', 'StatusUnknown'],
    [{ status: 'dead' }, 'Unknown', 'StatusUnknown'],
    [{ deployStatus: 'queued' }, 'Running', 'Running'],
  ] as const)('of %j has a phase and a reason, and is not ready', (change, phase, printed) => {
    const pod = podFor(change);
    expect(pod.status?.phase).toBe(phase);
    expect(columnsOf(pod)).toMatchObject({ STATUS: printed, READY: '0/1' });
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
    expect(Pod.validate(pod)).toEqual([]);
  });

  it('shows why a deployment failed', () => {
    const pod = podFor({ deployStatus: 'failure', failedMessage: '镜像ID不存在' });
    expect(pod.status).toMatchObject({ reason: 'DeployFailed', message: 'the image does not exist: 镜像ID不存在' });
  });

  it('hides a password in the reason of a failure', () => {
    const pod = podFor({
      deployStatus: 'failure',
      failedMessage: 'pull https://user:hunter2@registry.example.com failed',
    });
    expect(JSON.stringify(pod)).toContain('registry.example.com failed');
    expect(JSON.stringify(pod)).not.toContain('hunter2');
  });

  it('shows a foreign container of which little is known in a namespace of its own', () => {
    const [facts] = instancesOf([bareRow], () => undefined);
    const pod = podOf(facts ?? expect.fail('no instance'), observation);
    expect(pod.metadata).toMatchObject({
      namespace: 'ecsm-unmanaged',
      name: expect.stringMatching(/^k-se-1-[0-9a-f]{12}$/),
      uid: 'task-1',
      labels: {},
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(pod.metadata.ownerReferences).toBeUndefined();
    expect(pod.spec.nodeName).toMatch(/^ground-[0-9a-f]{8}$/);
    expect(pod.spec.containers).toEqual([{ name: 'k-se-1', image: '', resources: {} }]);
    expect(pod.status?.startTime).toBeUndefined();
    expect(Pod.validate(pod)).toEqual([]);
  });

  it('states when the platform was read, while it cannot be', () => {
    const [facts] = instancesOf([containerRow()], () => mark);
    const pod = podOf(facts ?? expect.fail('no instance'), stale);
    expect(pod.metadata.annotations?.['ecsm.sh/observed-at']).toBe('2026-01-02T12:00:00Z');
    expect(pod.status?.phase).toBe('Running');
  });
});

describe('instancesOf', () => {
  it('gives 20,000 instances names of their own, independent of their order', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => containerRow({ taskId: `task-${index}` }));
    const names = instancesOf(rows, () => mark).map(({ name }) => name);
    expect(new Set(names).size).toBe(rows.length);
    const reversed = new Map(instancesOf(rows.toReversed(), () => mark).map(({ row, name }) => [row.taskId, name]));
    expect(reversed.get('task-7')).toBe(instancesOf([containerRow({ taskId: 'task-7' })], () => mark)[0]?.name);
  });

  it('keeps two rows with the same id apart', () => {
    const names = instancesOf([containerRow(), containerRow()], () => mark).map(({ name }) => name);
    expect(names[1]).toBe(`${names[0]}.2`);
  });

  it('limits the length of a name', () => {
    const owner = { ...mark, name: `${'a'.repeat(50)}-${'b'.repeat(12)}` };
    const [facts] = instancesOf([containerRow()], () => owner);
    expect(facts?.name).toMatch(/^a{50}-[0-9a-f]{12}$/);
  });
});
