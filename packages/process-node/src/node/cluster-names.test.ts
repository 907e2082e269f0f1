import { Pod, Service } from '@ecsm/kubernetes';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { hostsEntries } from './cluster-names.ts';

const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Pod, Service] });

async function pod(name: string, podIP: string | undefined, isReady: boolean): Promise<Pod> {
  const spec = { hostname: name, subdomain: 'peer', containers: [{ name: 'main' }] };
  await registry.resource(Pod).create({ metadata: { name, labels: { app: 'main' } }, spec });
  const conditions = [{ type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) }];
  const status = podIP === undefined ? { conditions } : { podIP, conditions };
  return registry.resource(Pod).updateStatus({ metadata: { name }, status });
}

const service = (name: string, publishNotReadyAddresses: boolean) =>
  registry.resource(Service).create({
    metadata: { name },
    spec: { publishNotReadyAddresses, selector: { app: 'main' }, ports: [{ port: 80 }] },
  });

describe('the names of a cluster', () => {
  it('are those of services with ready pods, and of the pods of their subdomain', async () => {
    const pods = [
      await pod('a', '127.1.1.2', true),
      await pod('b', '127.1.1.3', false),
      await pod('c', undefined, true),
    ];
    const entries = hostsEntries(pods, [await service('client', false), await service('peer', true)]);
    const byName = (name: string) => entries.filter(({ names }) => names.includes(name)).map(({ address }) => address);
    expect(byName('client.default.svc')).toEqual(['127.1.1.2']);
    expect(byName('peer.default.svc.cluster.local')).toEqual(['127.1.1.2', '127.1.1.3']);
    expect(byName('b.peer.default.svc')).toEqual(['127.1.1.3']);
    expect(byName('b.client.default.svc')).toEqual([]);
    expect(byName('c.peer.default.svc')).toEqual([]);
  });
});
