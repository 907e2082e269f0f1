/** `delete`, with and without somebody who cleans up. */
import { ECSMService, ServiceRevision } from '@ecsm/operator';
import { type Kind, Lease } from '@ecsm/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { leaveOnPlatform, orphan } from './orphan.ts';
import { inRealTime, serviceText, writeKit } from './write.kit.ts';

const finalizer = 'ecsm.sh/platform-service';
const kit = writeKit();
const spec = {
  deploymentStrategy: { type: 'Static', nodes: ['node-1'] },
  template: { image: 'a@1' },
} as const;

const make = (name: string, metadata: object = {}) =>
  kit.inside((registry) => registry.resource(ECSMService).create({ metadata: { name, ...metadata }, spec }));
const cleanUp = (name: string) =>
  kit.inside((registry) => registry.resource(ECSMService).patch(name, { metadata: { finalizers: null } }));
const find = (name: string) => kit.inside((registry) => registry.resource(ECSMService).get(name));
const names = async () => (await kit.shown('get services -A -o name')).trim().split('\n');

beforeEach(async () => {
  await kit.inside(async (registry) => {
    for (const kind of [ECSMService, ServiceRevision, Lease]) {
      const resource = registry.resource<unknown, unknown, unknown, unknown>(kind);
      for (const { metadata } of (await resource.list()).items) {
        const { name, namespace } = metadata;
        await resource.patch(name, { metadata: { finalizers: null } }, { namespace });
        await resource.delete(name, { namespace });
      }
    }
  });
});

describe('delete', () => {
  it('accepts names, files, labels, and all of a kind', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(name, { labels: { app: name } });
    await make('far', { namespace: 'orbit' });
    kit.write('d.yaml', serviceText('d'));
    expect(await kit.shown('delete service a')).toBe('ecsmservice/a deleted\n');
    expect(await kit.shown("delete services -l 'app in (b,nobody)'")).toBe('ecsmservice/b deleted\n');
    expect(await kit.shown('delete service/c -o name')).toBe('ecsmservice/c\n');
    expect(await kit.shown('delete -f d.yaml')).toBe('ecsmservice/d deleted\n');
    expect(await kit.shown('delete services --all --dry-run')).toBe('ecsmservice/e deleted (dry run)\n');
    expect(await names()).toEqual(['ecsmservice/e', 'ecsmservice/far']);
    expect(await kit.shown('delete all --all -A')).toBe('ecsmservice/e deleted\necsmservice/far deleted\n');
    expect(await kit.shown('delete services --all')).toBe('! No resources found in default namespace.\n');
    expect(await kit.shown('delete services --all -A')).toBe('! No resources found.\n');
  });

  it('reports missing objects, and deletes the others', async () => {
    await make('telemetry');
    expect(await kit.shown('delete service telemetri telemetry')).toBe(
      'ecsmservice/telemetry deleted\n! ecsmctl: there is no ecsmservice "telemetri" in the namespace "default". Did you mean "telemetry"?\n! ecsmctl: 1 of 2 objects could not be deleted\n= 1\n',
    );
    expect(await kit.shown('delete service telemetry --ignore-not-found')).toBe('');
  });

  it('waits until the operator has cleaned up, and shows it', async () => {
    await make('slow', { finalizers: [finalizer] });
    await make('quick');
    const { test, code } = kit.start('delete services --all', inRealTime);
    while (!test.err.text.includes('waits for')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(test.out.text).toBe('ecsmservice/quick deleted\n');
    expect(test.err.text).toBe(
      'waiting for ecsmservice/slow to be deleted (0 s of 5 min): it waits for the operator to remove it from the platform (ecsm.sh/platform-service)\n',
    );
    await cleanUp('slow');
    expect(await code).toBe(0);
    expect(test.out.text).toBe('ecsmservice/quick deleted\necsmservice/slow deleted\n');
  });

  it('repaints its progress on a terminal, and clears it at the end', async () => {
    await make('slow', { finalizers: [finalizer] });
    const { test, code } = kit.start('delete service slow', { ...inRealTime, terminal: { columns: 50, rows: 24 } });
    while (!test.err.text.includes('waiting for')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(test.err.text).toBe('\u001b[?25lwaiting for ecsmservice/slow to be deleted (0 s …\u001b[K\u001b[J');
    await cleanUp('slow');
    expect(await code).toBe(0);
    expect(test.err.text.endsWith('\r\u001b[J\u001b[?25h')).toBe(true);
  });

  it('fails at the deadline, and reports that the deletion continues', async () => {
    await make('stuck', { finalizers: [finalizer] });
    await make('held', { finalizers: ['example.com/hold'] });
    expect(await kit.shown('delete service stuck held --timeout 200ms', inRealTime)).toBe(
      '! ecsmctl: timed out waiting for 2 objects to be deleted after 0 s: 0 of 2 deleted, ecsmservice/stuck waits for the operator to remove it from the platform (ecsm.sh/platform-service); is ecsm-operator running? The deletion continues in the background\n= 1\n',
    );
    const lease = { holderIdentity: '', leaseDurationSeconds: 15, leaseTransitions: 1 };
    await kit.inside((registry) =>
      registry.resource(Lease).create({ metadata: { name: 'ecsm-operator' }, spec: lease }),
    );
    expect(await kit.shown('delete service held --timeout 200ms', inRealTime)).toBe(
      '! ecsmctl: timed out waiting for ecsmservice/held to be deleted after 0 s: it waits for another program to remove the finalizer example.com/hold; no operator seems to be running: the lease "ecsm-operator" has no holder. The deletion continues in the background\n= 1\n',
    );
    expect(await kit.shown('delete service stuck --wait=false')).toBe(
      'ecsmservice/stuck is being deleted: it waits for the operator to remove it from the platform (ecsm.sh/platform-service)\n! warning: no operator seems to be running: the lease "ecsm-operator" has no holder\n',
    );
  });

  it('ends at Ctrl-C, and reports that the deletion continues', async () => {
    await make('stuck', { finalizers: [finalizer] });
    const { test, code } = kit.start('delete service stuck', inRealTime);
    while (!test.err.text.includes('waits for')) await new Promise((resolve) => setTimeout(resolve, 5));
    test.interrupt();
    expect(await code).toBe(130);
    expect(test.err.text).toMatch(/\nthe deletion of ecsmservice\/stuck continues in the background\n$/);
  });

  it('ends when another object of the same name exists', async () => {
    await make('phoenix', { finalizers: [finalizer] });
    const { code } = kit.start('delete service phoenix', inRealTime);
    const isTerminating = async () => (await find('phoenix'))?.metadata.deletionTimestamp !== undefined;
    while (!(await isTerminating())) await new Promise((resolve) => setTimeout(resolve, 5));
    await cleanUp('phoenix');
    await make('phoenix');
    expect(await code).toBe(0);
    expect(await names()).toEqual(['ecsmservice/phoenix']);
  });

  it('does not mark an object that was recreated meanwhile with --cascade=orphan', async () => {
    const before = await make('reborn');
    await kit.run('delete service reborn');
    await make('reborn');
    await expect(kit.inside((registry) => leaveOnPlatform(registry, before))).rejects.toThrow();
    expect((await find('reborn'))?.metadata.annotations).toBeUndefined();
    await kit.run('delete service reborn');
  });

  it('does not read what is in no namespace with --cascade=orphan', async () => {
    const owner = await make('owner');
    const listed = await kit.inside(async (registry) => {
      const kinds: string[] = [];
      const resource = (kind: Kind) => {
        kinds.push(kind.kind);
        return registry.resource(kind);
      };
      await orphan(Object.assign(Object.create(registry), { resource }), owner);
      return kinds;
    });
    expect(listed).toContain('ServiceRevision');
    expect(listed).not.toContain('PriorityClass');
  });

  it('releases owned objects with --cascade=orphan', async () => {
    const owner = await make('owner');
    const { apiVersion, kind, metadata } = owner;
    const reference = { apiVersion, kind, name: 'owner', uid: metadata.uid };
    const other = { ...reference, name: 'other', uid: 'another' };
    const revision = { service: 'owner', number: 1, hash: '776a66dc', template: { image: 'a@1' } };
    await kit.inside(async (registry) => {
      const revisions = registry.resource(ServiceRevision);
      for (const [name, ownerReferences] of [
        ['one', [reference]],
        ['both', [reference, other]],
        ['none', []],
      ] as const) {
        await revisions.create({ metadata: { name, ownerReferences: [...ownerReferences] }, spec: revision });
      }
    });
    const objects = () => kit.shown('get services,servicerevisions -o json');
    const before = await objects();
    expect(await kit.shown('delete service owner --cascade orphan --dry-run')).toBe(
      'ecsmservice/owner deleted (dry run)\n',
    );
    expect(await objects()).toBe(before);
    expect(await kit.shown('delete service owner --cascade orphan')).toBe('ecsmservice/owner deleted\n');
    const left = await kit.inside((registry) => registry.resource(ServiceRevision).list());
    const owners = left.items.map((one) => [one.metadata.name, one.metadata.ownerReferences?.map(({ uid }) => uid)]);
    expect(owners).toEqual([
      ['both', ['another']],
      ['none', undefined],
      ['one', undefined],
    ]);
  });
});
