/** Owners of services that this process does not reconcile, with a platform that does not always answer. */
import type { ContainerRow, Ecsm, ServiceDetail } from '@ecsm/client';
import { ApiError, EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { operatorKinds } from '../apis/kinds.ts';
import { smallService } from '../apis/service.kit.ts';
import { Owners } from './owners.ts';

const row: ContainerRow = {
  taskId: 't-1',
  name: 'worker-1',
  serviceId: 's-1',
  serviceName: 'worker',
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
};
const detail = { id: 's-1', name: 'worker', image: { config: { env: ['ECSM_OWNER=r/default/worker/u'] } } };

async function owners() {
  const clock = new VirtualClock();
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock });
  await registry.resource(ECSMService).create(smallService());
  const platform = {
    answer: (): Promise<ServiceDetail> => Promise.resolve(detail as unknown as ServiceDetail),
    calls: 0,
  };
  const get = () => {
    platform.calls++;
    return platform.answer();
  };
  const ecsm = { services: () => ({ get }) } as unknown as Ecsm;
  return { platform, made: new Owners({ ecsm, registry, registryId: async () => 'r', markOf: () => undefined }) };
}

describe('the owner of a service', () => {
  it('is read once for each deployment', async () => {
    const { platform, made } = await owners();
    for (let round = 0; round < 3; round++) expect((await made.of([row])).get('s-1')?.name).toBe('worker');
    expect(platform.calls).toBe(1);
  });

  it('is read again after the platform rejected the read', async () => {
    const { platform, made } = await owners();
    const { answer } = platform;
    platform.answer = () => Promise.reject(new ApiError('Rejected', { what: 'GET /service/:id', reason: 'not now' }));
    expect((await made.of([row])).size).toBe(0);
    platform.answer = answer;
    expect((await made.of([row])).get('s-1')?.name).toBe('worker');
  });

  it('is not known from a proxy that does not know the path', async () => {
    const { platform, made } = await owners();
    const missing = new ApiError('NotFound', { kind: 'path', name: 'GET /service/:id' });
    platform.answer = () => Promise.reject(missing);
    await expect(made.of([row])).rejects.toBe(missing);
  });
});
