/** The history of services, and the id of a registry. */
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { operatorKinds } from '../apis/kinds.ts';
import { OperatorIdentity } from '../apis/operator-identity.ts';
import { ServiceRevision } from '../apis/service-revision.ts';
import { dynamic } from './operator.kit.ts';
import { readRegistryId, registryIdOf } from './registry-id.ts';
import { ensureRevision, knownRevisions, listRevisions, pruneRevisions, revisionOf } from './revisions.ts';

let registry: EmbeddedRegistry;
beforeEach(() => {
  registry = new EmbeddedRegistry({
    store: new MemoryStore(),
    kinds: operatorKinds,
    clock: new VirtualClock(),
    random: new SeededRandom(1),
  });
});

const make = (name: string) => registry.resource(ECSMService).create(dynamic(name));
const setImage = (name: string, tag: string) =>
  registry.resource(ECSMService).patch(name, { spec: { template: { image: `telemetry@${tag}#sylixos` } } });
const numbers = async (service: ECSMService) =>
  Object.fromEntries(
    (await listRevisions(registry, service)).map(({ spec }) => [
      JSON.parse(JSON.stringify(spec.template)).image.split(/[@#]/)[1],
      spec.number,
    ]),
  );

const marked = (...hashes: string[]) => hashes.map((revision) => ({ mark: { revision } }));

describe('a revision', () => {
  it('is recorded once, owned by its service, and numbered upwards', async () => {
    const service = await make('web');
    const { hash } = await ensureRevision(registry, service);
    const revision = await registry.resource(ServiceRevision).get(`web-${hash}`);
    expect(revision.metadata.ownerReferences).toMatchObject([
      { kind: 'ECSMService', name: 'web', uid: service.metadata.uid },
    ]);
    const before = await registry.revision();
    await ensureRevision(registry, service);
    expect(await registry.revision()).toBe(before);
    await ensureRevision(registry, await setImage('web', '1.1.0'));
    expect(await numbers(service)).toEqual({ '1.0.0': 1, '1.1.0': 2 });
  });

  it('that becomes current again gets the highest number', async () => {
    const service = await make('web');
    await ensureRevision(registry, service);
    await ensureRevision(registry, await setImage('web', '1.1.0'));
    await ensureRevision(registry, await setImage('web', '1.0.0'));
    expect(await numbers(service)).toEqual({ '1.0.0': 3, '1.1.0': 2 });
  });

  it('changes after a restart, and not with other fields of the object', async () => {
    const service = await make('web');
    const { hash } = revisionOf(service);
    const scaled = await registry.resource(ECSMService).patch('web', { spec: { deploymentStrategy: { replicas: 9 } } });
    expect(revisionOf(scaled).hash).toBe(hash);
    const annotations = { 'ecsm.sh/restartedAt': '2026-01-01T00:00:00Z' };
    const restarted = await registry.resource(ECSMService).patch('web', { metadata: { annotations } });
    expect(revisionOf(restarted).hash).not.toBe(hash);
    await ensureRevision(registry, restarted);
    const known = await knownRevisions(registry, restarted, revisionOf(restarted), []);
    expect([...known.values()][0]?.restartedAt).toBe('2026-01-01T00:00:00Z');
  });

  it('of an earlier service of the same name is reused', async () => {
    const first = await make('web');
    const { hash } = await ensureRevision(registry, first);
    await registry.resource(ECSMService).delete('web');
    const second = await make('web');
    expect(await listRevisions(registry, second)).toEqual([]);
    await ensureRevision(registry, second);
    const [revision] = await listRevisions(registry, second);
    expect(revision?.spec).toMatchObject({ hash, number: 1 });
    expect(revision?.metadata.ownerReferences?.[0]?.uid).toBe(second.metadata.uid);
  });

  it('is numbered after one that was recorded before an operator ended, if the template has changed since', async () => {
    await ensureRevision(registry, await make('web'));
    const changed = await setImage('web', '1.1.0');
    expect(changed.status).toBeUndefined();
    expect((await ensureRevision(registry, changed)).isOnly).toBe(false);
    expect(await numbers(changed)).toEqual({ '1.0.0': 1, '1.1.0': 2 });
  });

  it('belongs to one service, also if names share a prefix or are very long', async () => {
    const long = 'n'.repeat(63);
    for (const name of ['web', 'web-12345678', long, `${long.slice(0, 62)}x`]) {
      const service = await make(name);
      await ensureRevision(registry, service);
      await ensureRevision(registry, await setImage(name, '1.1.0'));
      expect(await numbers(service)).toEqual({ '1.0.0': 1, '1.1.0': 2 });
    }
  });
});

describe('knownRevisions', () => {
  it('returns recorded revisions that were not edited', async () => {
    const service = await make('web');
    const { isOnly: _, ...first } = await ensureRevision(registry, service);
    const second = await ensureRevision(registry, await setImage('web', '1.1.0'));
    const known = await knownRevisions(registry, service, second, marked(first.hash, 'ffffffff', '', 'not a hash'));
    expect([...known.keys()].sort()).toEqual([first.hash, second.hash].sort());
    expect(known.get(first.hash)).toEqual(first);
    await registry
      .resource(ServiceRevision)
      .patch(`web-${first.hash}`, { spec: { template: { image: 'evil@1.0.0' } } });
    expect((await knownRevisions(registry, service, second, marked(first.hash))).has(first.hash)).toBe(false);
  });
});

describe('the history', () => {
  it('is pruned to the limit, the oldest first, without revisions in use', async () => {
    let service = await make('web');
    const hashes: string[] = [];
    for (const tag of ['1.0.0', '1.1.0', '2.0.0', '3.0.0', '4.0.0']) {
      service = await setImage('web', tag);
      hashes.push((await ensureRevision(registry, service)).hash);
    }
    service = await registry.resource(ECSMService).patch('web', { spec: { revisionHistoryLimit: 1 } });
    expect(await pruneRevisions(registry, service, new Set([hashes[0] ?? '', hashes[4] ?? '']))).toBe(2);
    expect(Object.keys(await numbers(service)).sort()).toEqual(['1.0.0', '3.0.0', '4.0.0']);
    expect(await pruneRevisions(registry, service, new Set([hashes[0] ?? '', hashes[4] ?? '']))).toBe(0);
  });
});

describe('the id of a registry', () => {
  it('is created once, also by concurrent calls, and is stable', async () => {
    expect(await readRegistryId(registry)).toBeUndefined();
    const [one, other] = await Promise.all([registryIdOf(registry), registryIdOf(registry)]);
    expect(one).toBe(other);
    expect(await registryIdOf(registry)).toBe(one);
    await registry.resource(OperatorIdentity).delete('registry');
    expect(await registryIdOf(registry)).toBe(one);
  });
});
