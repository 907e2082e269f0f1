/** Goal: what services wait for is seen in tables, descriptions and trees. Method: a registry whose statuses are set by hand. */
import { ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { goldenTests } from '../shared/golden.kit.ts';
import { type RegistryKit, registryKit, serviceInput, usedByOperator } from '../shared/registry.kit.ts';

const kit = registryKit();
beforeAll(() => fill(kit));

type DependsOn = NonNullable<Parameters<typeof serviceInput>[1]>['dependsOn'];
type States = NonNullable<NonNullable<ECSMService['status']>['dependencies']>;

/** A chain over two namespaces with a missing service, a service that lost its dependency, and a cycle. */
async function fill({ open }: RegistryKit): Promise<void> {
  const registry = await open(185_000);
  await usedByOperator(registry);
  const services = registry.resource(ECSMService);
  const lastTransitionTime = '2026-01-02T03:03:45Z';
  const add = async (name: string, dependsOn: DependsOn, readyReplicas: number, states?: States, reason?: string) => {
    const [namespace = '', short = ''] = name.includes('/') ? name.split('/') : ['default', name];
    await services.create(serviceInput(short, { namespace, ...(dependsOn && { dependsOn }) }));
    const isAvailable = readyReplicas > 0;
    const ready = { type: 'DependenciesReady', status: 'False' as const, message: 'see the test', lastTransitionTime };
    await services.updateStatus({
      metadata: { name: short, namespace },
      status: {
        observedGeneration: 1,
        replicas: readyReplicas,
        readyReplicas,
        updatedReplicas: readyReplicas,
        unavailableReplicas: 2 - readyReplicas,
        ...(states && { dependencies: states }),
        conditions: [
          {
            type: 'Available',
            status: isAvailable ? 'True' : 'False',
            reason: isAvailable ? 'EnoughReady' : 'NotEnoughReady',
            message: `${readyReplicas} of 2 instances are ready`,
            lastTransitionTime,
          },
          ...(reason === undefined ? [] : [{ ...ready, reason }]),
        ],
      },
    });
  };
  await add('bus', undefined, 2);
  await add('ground/clock', undefined, 0);
  await add(
    'store',
    [{ name: 'bus' }, { name: 'disk', condition: 'Exists' }],
    0,
    [
      { name: 'default/bus', state: 'Met' },
      { name: 'default/disk', state: 'Waiting' },
    ],
    'DependencyMissing',
  );
  await add(
    'camera',
    [{ name: 'store' }, { name: 'clock', namespace: 'ground', onLost: 'Stop' }, { name: 'bus' }],
    0,
    [
      { name: 'default/store', state: 'Waiting' },
      { name: 'ground/clock', state: 'Waiting' },
      { name: 'default/bus', state: 'Met' },
    ],
    'DependencyWaiting',
  );
  await add(
    'ground/antenna',
    [{ name: 'clock' }, { name: 'store', namespace: 'default' }],
    2,
    [
      { name: 'ground/clock', state: 'Lost' },
      { name: 'default/store', state: 'Met' },
    ],
    'DependencyLost',
  );
  await add('ring-a', [{ name: 'ring-b' }], 2, [{ name: 'default/ring-b', state: 'Met' }], 'DependencyCycle');
  await add('ring-b', [{ name: 'ring-a' }], 0, [{ name: 'default/ring-a', state: 'Met' }], 'DependencyCycle');
  await registry.close();
}

goldenTests(kit, new URL('tree.golden.txt', import.meta.url));

describe('tree', () => {
  it('is drawn in ASCII if the terminal has no other characters', async () => {
    const { out } = await kit.run('tree service/store', { env: { LANG: 'C' } });
    expect(out.split('\n').map((line) => line.slice(0, 7).trimEnd())).toEqual([
      'NAME',
      'store',
      '|- bus',
      '`- disk',
      '',
    ]);
  });

  it('completes services', async () => {
    const offered = async (line: string) => (await kit.run(`__complete -- ${line}`)).out.trim().split('\n');
    expect(await offered("tree ''")).toEqual(expect.arrayContaining(['services', 'service/bus', 'service/camera']));
    expect(await offered('tree services ca')).toEqual(['camera']);
    expect(await offered('tree --dep')).toEqual([expect.stringMatching(/^--dependents/)]);
  });
});
