/** Goal: the fleet knows what services want and which depend on which. Method: services of a registry, set and deleted. */
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { ECSMService, type ECSMServiceInput } from '../apis/ecsm-service.ts';
import { operatorKinds } from '../apis/kinds.ts';
import { smallService } from '../apis/service.kit.ts';
import { Fleet } from './fleet.ts';
import { keyOfService } from './fleet-service.ts';

const keyOf = (name: string) => keyOfService('default', name);

async function registryWith(...services: readonly (readonly [string, Partial<ECSMServiceInput['spec']>])[]) {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds });
  const resource = registry.resource(ECSMService);
  for (const [name, spec] of services) await resource.create({ ...smallService(spec), metadata: { name } });
  return { registry, resource };
}

describe('the fleet', () => {
  it('lists the services that depend on a service, also on one that does not exist', async () => {
    const { registry } = await registryWith(
      ['ground', { dependsOn: [{ name: 'bus' }, { name: 'clock', namespace: 'time' }] }],
      ['camera', { dependsOn: [{ name: 'bus', condition: 'Exists' }] }],
    );
    const fleet = new Fleet();
    await fleet.load(registry);
    expect([...fleet.dependentsOf(keyOf('bus'))].sort()).toEqual([keyOf('camera'), keyOf('ground')]);
    expect(fleet.dependentsOf(keyOfService('time', 'clock'))).toEqual([keyOf('ground')]);
    expect(fleet.dependentsOf(keyOf('camera'))).toEqual([]);
  });

  it('forgets the dependencies of a service that no longer has them, or is deleted', async () => {
    const { registry, resource } = await registryWith(
      ['ground', { dependsOn: [{ name: 'bus' }] }],
      ['camera', { dependsOn: [{ name: 'bus' }] }],
    );
    const fleet = new Fleet();
    await fleet.load(registry);
    const ground = await resource.get('ground');
    const { dependsOn: _, ...spec } = ground.spec;
    fleet.set(await resource.update({ ...ground, spec }));
    expect(fleet.dependentsOf(keyOf('bus'))).toEqual([keyOf('camera')]);
    fleet.delete(keyOf('camera'));
    expect(fleet.dependentsOf(keyOf('bus'))).toEqual([]);
  });

  it('tells listeners what changed, also what is missing when it is loaded again', async () => {
    const { registry, resource } = await registryWith(['ground', {}], ['camera', {}]);
    const fleet = new Fleet();
    const seen: string[] = [];
    fleet.onChange((before, after) => seen.push(`${before?.name ?? '-'} > ${after?.name ?? '-'}`));
    await fleet.load(registry);
    await resource.delete('camera');
    await fleet.load(registry);
    expect(seen.sort()).toEqual(['- > camera', '- > ground', 'camera > -', 'ground > ground']);
  });

  it('forgets services that do not exist: one of a stale list was waited for without end', async () => {
    const { registry } = await registryWith(['bus', {}], ['ground', { dependsOn: [{ name: 'bus' }] }]);
    const fleet = new Fleet();
    await fleet.load(registry);
    fleet.retain((key) => key !== keyOf('ground'));
    expect([...fleet.all()].map(({ name }) => name)).toEqual(['bus']);
    expect(fleet.dependentsOf(keyOf('bus'))).toEqual([]);
  });

  it('knows limits in bytes, the desired number and the nodes of a service', async () => {
    const { registry } = await registryWith([
      'camera',
      {
        template: { image: 'camera@1', resources: { limits: { memory: '64Mi', disk: '1Gi' } } },
        deploymentStrategy: { type: 'Static', nodes: ['sat-1', 'sat-2'] },
        priorityClassName: 'critical',
      },
    ]);
    const fleet = new Fleet();
    await fleet.load(registry);
    expect(fleet.get(keyOf('camera'))).toMatchObject({
      limits: { memoryBytes: 64 * 2 ** 20, diskBytes: 2 ** 30 },
      policy: 'Static',
      replicas: 2,
      nodeNames: ['sat-1', 'sat-2'],
      maxSurge: 0,
      priorityClassName: 'critical',
      isAvailable: false,
    });
  });
});
