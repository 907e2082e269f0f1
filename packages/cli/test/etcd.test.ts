/** Registries in etcd, through ecsmctl: moved there and back, saved and restored, followed. */
import { join } from 'node:path';
import { ECSMService } from '@ecsm/operator';
import { openRegistry, systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { condition, createHistory, kitPool, settle } from '../src/ecsmctl/shared/history.kit.ts';
import { type RegistryKit, serviceInput } from '../src/ecsmctl/shared/registry.kit.ts';
import { knownKinds } from '../src/ecsmctl/shared/session.ts';
import { type Etcd, skipWithoutEtcd, startEtcd } from './etcd.kit.ts';
import { until } from './site.kit.ts';

const freshKit = kitPool(2);

async function furnish(kit: RegistryKit): Promise<void> {
  await createHistory(kit, [{ image: 'telemetry@1.0.0', hash: '11111111' }]);
  const registry = await kit.open();
  await registry.resource(ECSMService).create(serviceInput('camera'));
  await registry.close();
}

async function contentAt(url: string): Promise<readonly string[]> {
  const registry = await openRegistry(url, { kinds: knownKinds });
  try {
    const { entries } = await registry.store.list('');
    return entries.map(({ key, value }) => `${key} ${new TextDecoder().decode(value)}`);
  } finally {
    await registry.close();
  }
}

describe.skipIf(skipWithoutEtcd())('a registry in etcd', () => {
  let etcd: Etcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());

  it('can be migrated, shown, backed up, restored and compacted', async () => {
    const kit = freshKit();
    await furnish(kit);
    const before = await contentAt(kit.url);
    const url = `etcd://${etcd.endpoint}/fleet`;
    expect(await kit.run(`registry migrate --to ${url}`)).toMatchObject({ code: 0 });
    expect(await contentAt(url)).toEqual(before);
    const status = await kit.run(`registry status --registry ${url}`);
    expect(status.out).toMatch(
      /^Registry: {3}etcd:\/\/\S+\/fleet\nRevision: {3}\d+\nObjects: {4}3 \(\S+\)\nProblems: {3}none\n/,
    );
    const same = await kit.run(`registry migrate --registry ${url} --to ${url}`);
    expect(same).toMatchObject({ code: 2, err: expect.stringContaining('is the source registry') });
    const back = `file:${join(kit.directory, 'back')}`;
    expect(await kit.run(`registry migrate --registry ${url} --to ${back}`)).toMatchObject({ code: 0 });
    expect(await contentAt(back)).toEqual(before);
    expect(await kit.run(`backup fleet.backup --registry ${url}`)).toMatchObject({ code: 0 });
    const other = `etcd://${etcd.endpoint}/other`;
    expect(await kit.run(`restore fleet.backup --registry ${other}`)).toMatchObject({ code: 0 });
    expect(await contentAt(other)).toEqual(before);
    expect(await kit.run(`registry compact --registry ${other}`)).toMatchObject({ code: 0 });
    expect(await contentAt(other)).toEqual(before);
  });

  it('can be followed by rollout status and wait', async () => {
    const kit = freshKit();
    await furnish(kit);
    const url = `etcd://${etcd.endpoint}/watched`;
    await kit.run(`registry migrate --to ${url}`);
    const registry = await openRegistry(url, { kinds: knownKinds });
    const conditions = [condition('Progressing', 'True', 'RollingOut', 'x')];
    await settle(registry, 'telemetry', { readyReplicas: 1, conditions });
    const options = { clock: systemClock };
    const following = kit.start(`rollout status service/telemetry --registry ${url}`, options);
    const waiting = kit.start(`wait service/camera --for=delete --registry ${url}`, options);
    await until(() => following.test.err.text.includes('1 of 2 updated instances are ready'));
    await until(() => waiting.test.err.text.includes('it exists'));
    await settle(registry, 'telemetry');
    await registry.resource(ECSMService).delete('camera');
    expect(await following.code).toBe(0);
    expect(await waiting.code).toBe(0);
    expect(following.test.out.text).toBe('"telemetry" successfully rolled out\n');
    expect(waiting.test.out.text).toBe('ecsmservice/camera condition met\n');
    await registry.close();
  });
});
