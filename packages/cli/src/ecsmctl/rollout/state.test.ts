import type { ECSMService } from '@ecsm/operator';
import { describe, expect, it } from 'vitest';
import { condition } from '../shared/history.kit.ts';
import { rolloutState } from './state.ts';

type Status = NonNullable<ECSMService['status']>;

interface RevisionInput {
  readonly status?: Partial<Status>;
  readonly paused?: boolean;
  readonly deleting?: boolean;
  readonly nodes?: readonly string[];
}

function service({ status, paused = false, deleting = false, nodes }: RevisionInput): ECSMService {
  return {
    apiVersion: 'ecsm.sh/v1',
    kind: 'ECSMService',
    metadata: {
      name: 'telemetry',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '9',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(deleting && { deletionTimestamp: '2026-01-02T00:00:00Z' }),
    },
    spec: {
      deploymentStrategy: nodes
        ? { type: 'Static', nodes: [...nodes] }
        : { type: 'Dynamic', replicas: 3, nodePool: ['a'] },
      upgradeStrategy: { type: 'Never' },
      updateStrategy: { type: 'RollingUpdate', progressDeadlineSeconds: 600 },
      paused,
      revisionHistoryLimit: 10,
      template: { image: 'telemetry@1.0.0', prepull: false, platformSpecific: { action: 'Run' } },
    },
    ...(status && {
      status: {
        replicas: 3,
        readyReplicas: 3,
        updatedReplicas: 3,
        unavailableReplicas: 0,
        observedGeneration: 3,
        conditions: [],
        ...status,
      },
    }),
  };
}

const rolling = condition('Progressing', 'True', 'RollingOut', 'step by step');
const refused = condition('Degraded', 'True', 'PlatformRefused', 'the image does not exist');
const pausing = condition('Progressing', 'Unknown', 'Paused', 'changes wait');

const waiting = condition('Progressing', 'Unknown', 'DependencyMissing', 'default/bus does not exist');

const states: readonly (readonly [string, RevisionInput, string])[] = [
  ['no status', {}, 'in progress: the operator has not observed the latest change yet'],
  [
    'a wait for dependencies',
    { status: { replicas: 0, readyReplicas: 0, updatedReplicas: 0, conditions: [waiting] } },
    'in progress: it waits for its dependencies: default/bus does not exist',
  ],
  [
    'an older generation',
    { status: { observedGeneration: 2 } },
    'in progress: the operator has not observed the latest change yet',
  ],
  ['complete', { status: { conditions: [condition('Progressing', 'True', 'Complete', 'done')] } }, 'done'],
  [
    'complete of an older generation',
    { status: { observedGeneration: 2, conditions: [condition('Progressing', 'True', 'Complete', 'done')] } },
    'in progress: the operator has not observed the latest change yet',
  ],
  [
    'few updated',
    { status: { updatedReplicas: 1, conditions: [rolling] } },
    'in progress: 1 of 3 instances are updated',
  ],
  [
    'old ones left',
    { status: { replicas: 5, conditions: [rolling] } },
    'in progress: 2 old instances still to be removed',
  ],
  [
    'one old one left',
    { status: { replicas: 4, conditions: [rolling] } },
    'in progress: 1 old instance still to be removed',
  ],
  [
    'few ready',
    { status: { readyReplicas: 1, conditions: [rolling] } },
    'in progress: 1 of 3 updated instances are ready',
  ],
  [
    'a static one',
    { nodes: ['a', 'b'], status: { replicas: 2, updatedReplicas: 2, readyReplicas: 0, conditions: [rolling] } },
    'in progress: 0 of 2 updated instances are ready',
  ],
  ['right numbers, not yet said', { status: { conditions: [rolling] } }, 'in progress: step by step'],
  ['no condition yet', { status: {} }, 'in progress: the operator has not reported progress yet'],
  [
    'stuck',
    { status: { conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded', '磁盘已满')] } },
    'stuck: ProgressDeadlineExceeded: 磁盘已满',
  ],
  [
    'refused',
    { status: { conditions: [rolling, { ...refused, observedGeneration: 3 }] } },
    'stuck: PlatformRefused: the image does not exist',
  ],
  [
    'refused before anything was observed',
    { status: { observedGeneration: 2, conditions: [{ ...refused, observedGeneration: 3 }] } },
    'stuck: PlatformRefused: the image does not exist',
  ],
  [
    'an older spec was refused',
    { status: { updatedReplicas: 1, observedGeneration: 2, conditions: [{ ...refused, observedGeneration: 2 }] } },
    'in progress: the operator has not observed the latest change yet',
  ],
  [
    'few updated, with a problem',
    {
      status: {
        updatedReplicas: 1,
        conditions: [rolling, condition('Degraded', 'True', 'DeploymentFailed', '磁盘已满')],
      },
    },
    'in progress: 1 of 3 instances are updated; DeploymentFailed: 磁盘已满',
  ],
  [
    'not ours',
    { status: { conditions: [condition('Progressing', 'False', 'ForeignService', 'not ours')] } },
    'stuck: ForeignService: not ours',
  ],
  [
    'paused in the middle',
    { paused: true, status: { updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b', conditions: [pausing] } },
    'in progress: it is paused, 1 of 3 instances are updated',
  ],
  [
    'paused, and another template waits',
    { paused: true, status: { currentRevision: 'a', updateRevision: 'b', conditions: [pausing] } },
    'in progress: it is paused',
  ],
  [
    'paused, and nothing waits',
    { paused: true, status: { currentRevision: 'a', updateRevision: 'a', conditions: [pausing] } },
    'done',
  ],
  ['being deleted', { deleting: true, status: { conditions: [rolling] } }, 'stuck: it is being deleted'],
  [
    'an outage',
    {
      status: { readyReplicas: 1, conditions: [rolling, condition('PlatformReachable', 'False', 'Unreachable', 'no')] },
    },
    'in progress: 1 of 3 updated instances are ready, the platform has been unreachable since 2026-01-02T03:03:25Z',
  ],
  [
    'an outage without a date',
    {
      status: {
        readyReplicas: 1,
        conditions: [
          rolling,
          { ...condition('PlatformReachable', 'False', 'Unreachable', 'no'), lastTransitionTime: 'soon' },
        ],
      },
    },
    'in progress: 1 of 3 updated instances are ready, the platform is unreachable',
  ],
];

describe('the state of a rollout', () => {
  it.each(states)('%s', (_, status, expected) => {
    const state = rolloutState(service(status));
    expect(state.is === 'done' ? 'done' : `${state.is}: ${state.message}`).toBe(expected);
  });
});
