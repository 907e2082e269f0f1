/** Goal: `top capacity` shows the room on nodes and the services without room. Method: a registry with both, golden output. */
import { ECSMService, OperatorIdentity } from '@ecsm/operator';
import { PriorityClass } from '@ecsm/runtime';
import { beforeAll, expect, it } from 'vitest';
import { goldenTests } from '../shared/golden.kit.ts';
import { registryKit } from '../shared/registry.kit.ts';

const gibibyte = 2 ** 30;
const kit = registryKit();
const empty = registryKit();

beforeAll(async () => {
  await (await empty.open()).resource(ECSMService).list();
  const registry = await kit.open(90_000);
  await registry.resource(PriorityClass).create(PriorityClass.input({ name: 'critical' }, { value: 1_000 }));
  const identities = registry.resource(OperatorIdentity);
  await identities.create({ metadata: { name: 'registry' }, spec: { id: '00000000-0000' } });
  const node = {
    isOnline: true,
    memoryBytes: 8 * gibibyte,
    memoryOthersBytes: gibibyte / 2,
    memoryDeclaredBytes: 6 * gibibyte,
    diskOthersBytes: 0,
    diskDeclaredBytes: 3 * gibibyte,
  };
  const nodes = [
    { ...node, name: 'sat-1' },
    { ...node, name: 'sat-2', isOnline: false, diskBytes: 64 * gibibyte },
  ];
  const capacity = { observedTime: '2026-01-02T03:03:35Z', nodes };
  await identities.updateStatus({ metadata: { name: 'registry' }, status: { capacity } });
  const services = registry.resource(ECSMService);
  const spec = {
    deploymentStrategy: { type: 'Dynamic' as const, replicas: 4, nodePool: ['sat-1'] },
    template: { image: 'a@1' },
  };
  for (const name of ['bulk', 'calm']) await services.create({ metadata: { name }, spec });
  await services.create({ metadata: { name: 'radar' }, spec: { ...spec, priorityClassName: 'critical' } });
  await services.updateStatus({
    metadata: { name: 'bulk' },
    status: { replicas: 2, preempted: { by: 'default/radar', replicas: 2 } },
  });
  await services.updateStatus({
    metadata: { name: 'radar' },
    status: {
      replicas: 3,
      conditions: [
        {
          type: 'Unschedulable',
          status: 'True',
          reason: 'Unschedulable',
          message: 'needs 3Gi on sat-1: free 1536Mi; 3 of 4 instances fit',
          lastTransitionTime: '2026-01-02T03:03:35Z',
        },
      ],
    },
  });
});

goldenTests(kit, new URL('top-capacity.golden.txt', import.meta.url));

it('says so if no capacity is known', async () => {
  const { code, out, err } = await empty.run('top capacity');
  expect({ code, out, err }).toEqual({
    code: 0,
    out: 'No capacity is known: the operator reads it while a service has a priority class.\n',
    err: '',
  });
});
