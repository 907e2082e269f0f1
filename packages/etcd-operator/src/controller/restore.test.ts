/** What is observed of a restore, and what an action does: on a registry in memory, with decisions that are given. */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { beforeEach, describe, expect, it } from 'vitest';
import { EtcdBackup, type EtcdBackupInput, type EtcdBackupStatus } from '../apis/etcd-backup.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore, type EtcdRestoreInput, type EtcdRestoreStatus } from '../apis/etcd-restore.ts';
import { annotations } from '../apis/well-known.ts';
import { withoutTls } from '../resource/cluster.kit.ts';
import type { RestoreAction } from '../service/restore/model.ts';
import { Lab } from './lab.kit.ts';
import { restoreOperator } from './restore.ts';

const place = { storageType: 'Volume', volume: { claimName: 'backups' } } as const;
const settings = { workerLookMs: 2_000, workerRetryMs: 10_000 };
const stored: EtcdBackupStatus = {
  phase: 'Completed',
  manifestPath: 'm.manifest.json',
  etcdRevision: '7',
  checksums: { snapshotSha256: 'a', storedSha256: 'b' },
};

let lab: Lab;
beforeEach(() => {
  lab = new Lab();
});

const operator = restoreOperator({ settings, progress: async () => undefined, image: 'operator:1' });

const backups = () => lab.registry.resource(EtcdBackup);
const restores = () => lab.registry.resource(EtcdRestore);

async function backedUp(name: string, status: EtcdBackupStatus, spec: Partial<EtcdBackupInput['spec']> = {}) {
  const created = await backups().create({ metadata: { name }, spec: { clusterName: 'main', ...place, ...spec } });
  await backups().updateStatus({ ...created, status });
}

async function create(spec: Partial<EtcdRestoreInput['spec']> = {}, status?: EtcdRestoreStatus) {
  const own = { backupName: 'b', clusterName: 'main', restoreType: 'New', ...spec } as const;
  const { backupName, ...rest } = own;
  const created = await restores().create({
    metadata: { name: 'back' },
    spec: rest.location === undefined ? own : rest,
  });
  return status ? restores().updateStatus({ ...created, status }) : created;
}

const observe = (restore: EtcdRestore) => operator.observe(restore, { registry: lab.registry, memory: {} });
async function perform(restore: EtcdRestore, action: RestoreAction, status: EtcdRestoreStatus = {}): Promise<void> {
  const pass = { registry: lab.registry, memory: {} };
  expect(await operator.act(action, { ...restore, status }, await observe(restore), pass)).toBe('done');
}

describe('the source of a restore', () => {
  const sourceOf = async (spec?: Partial<EtcdRestoreInput['spec']>) => (await observe(await create(spec))).source;

  it('is a backup that is complete', async () => {
    await backedUp('b', stored, { encryption: { keySecret: { name: 'key' } } });
    expect(await sourceOf()).toMatchObject({
      is: 'found',
      key: 'm.manifest.json',
      encryption: { keySecret: { name: 'key' } },
      recorded: { etcdRevision: '7' },
    });
  });

  it('is a location, of which nothing is known', async () => {
    expect(await sourceOf({ location: { ...place, key: 'a.db' } })).toEqual({
      is: 'found',
      place,
      encryption: undefined,
      key: 'a.db',
      recorded: undefined,
    });
  });

  it.each<[string, EtcdBackupStatus | undefined, Partial<EtcdBackupInput['spec']>, string]>([
    ['missing', undefined, {}, 'there is no EtcdBackup b'],
    ['unfinished', { phase: 'Running' }, {}, 'waiting until b is complete'],
    ['unusable', { phase: 'Failed', message: 'no space' }, {}, 'b is Failed: no space'],
    ['unusable', { lastBackup: 'b-7' }, { schedule: '0 2 * * *' }, 'name one of its runs, such as b-7'],
  ])('is %s: %j', async (is, status, spec, message) => {
    if (status) await backedUp('b', status, spec);
    expect(await sourceOf()).toMatchObject({ is, message: expect.stringContaining(message) });
  });
});

describe('an observation of a restore', () => {
  it('has the cluster as far as it is about this restore', async () => {
    const restore = await create();
    await lab.create({ size: 3, paused: true }, { annotations: { [annotations.restore]: 'another' } });
    expect(await observe(restore)).toMatchObject({
      cluster: { isAsked: false, other: 'another', isPaused: true, isRestoring: false, restore: undefined },
      // The cluster of the lab has none.
      hasClientTls: false,
    });
    const current = { phase: 'Starting', slot: 3, startedAt: '2026-01-01T00:00:00Z', revision: '9', keys: 5 } as const;
    const clusters = lab.registry.resource(EtcdCluster);
    const volumes = [{ slot: 2, uid: 'v2' }];
    const status = { restore: { ...current, volumes, uid: restore.metadata.uid } };
    await clusters.updateStatus({ ...(await lab.get()), status });
    expect((await observe(restore)).cluster).toMatchObject({
      isRestoring: true,
      former: ['data-main-2'],
      restore: { phase: 'Starting', slot: 3, revision: '9', keys: 5 },
    });
  });

  it('tells from the template whether the new cluster has TLS, which is the default', async () => {
    const restore = await create();
    expect((await observe(restore)).hasClientTls).toBe(true);
    const clusterTemplate = EtcdCluster.default({ metadata: { name: 'x' }, spec: withoutTls }).spec;
    const other = { ...restore, spec: { ...restore.spec, clusterTemplate } };
    expect((await observe(other)).hasClientTls).toBe(false);
  });

  it('asks for nothing when it has ended', async () => {
    await lab.create();
    const { object, claim, parked } = await observe(await create({}, { phase: 'Failed' }));
    expect([object, claim, parked]).toEqual([undefined, undefined, []]);
  });
});

describe('an action of a restore', () => {
  const jobsIn = async (name: string) => {
    const { spec } = await lab.registry.resource(Pod).get(name);
    return [...(spec.initContainers ?? []), ...spec.containers].map(({ env, command }) => {
      const text = env?.find((one) => one.name === 'AGENT_JOB')?.value;
      return text === undefined ? command : JSON.parse(text);
    });
  };

  it('creates the pod that checks the backup', async () => {
    await backedUp('b', stored);
    const status = { etcdRevision: '7', databaseSha256: 'd' };
    await perform(await create(), { do: 'createWorker', name: 'check', purpose: 'check', attempt: 1 }, status);
    const [job] = await jobsIn('check');
    const expected = { snapshotSha256: 'a', storedSha256: 'b', revision: '7' };
    expect(job).toMatchObject({ do: 'fetch', key: 'm.manifest.json', expected });
    // Nothing runs after it that would compute the checksum.
    expect(job).not.toHaveProperty('databaseSha256');
  });

  it('creates the pod that prepares the volume of the first member', async () => {
    await backedUp('b', stored);
    await lab.create({ size: 3 });
    const restore = await create({ revisionBump: 10 });
    const status = { slot: 3, databaseSha256: 'd' };
    await perform(restore, { do: 'createWorker', name: 'p', purpose: 'prepare', attempt: 2 }, status);
    const [fetch, command, commit] = await jobsIn('p');
    // The tool of etcd, which is not told to skip it, computes the checksum.
    expect(fetch).toMatchObject({ do: 'fetch', into: '/var/lib/etcd/restore/2/snapshot.db', databaseSha256: 'd' });
    expect(command).not.toContain('--skip-hash-check');
    expect(command).toEqual(expect.arrayContaining(['--name=main-3', '--bump-revision=10', '--mark-compacted']));
    expect(commit).toMatchObject({ do: 'commit', to: '/var/lib/etcd/data', marker: restore.metadata.uid });
  });

  it('prepares what was checked, not another backup of the name that was made since', async () => {
    await backedUp('b', { ...stored, checksums: { snapshotSha256: 'newer' } });
    await lab.create({ size: 3 });
    const status = { slot: 3, snapshotSha256: 'a' };
    await perform(await create(), { do: 'createWorker', name: 'p', purpose: 'prepare', attempt: 1 }, status);
    expect((await jobsIn('p'))[0]).toMatchObject({ do: 'fetch', expected: { snapshotSha256: 'a' } });
  });

  it('creates no pod without a source', async () => {
    await perform(await create(), { do: 'createWorker', name: 'check', purpose: 'check', attempt: 1 });
    expect((await lab.registry.resource(Pod).list()).items).toEqual([]);
  });

  it('creates the cluster with the annotation, asks one that exists, and releases it', async () => {
    const restore = await create({ clusterTemplate: { size: 1 } });
    await perform(restore, { do: 'createCluster' });
    expect(await lab.get()).toMatchObject({
      metadata: { annotations: { [annotations.restore]: 'back' } },
      spec: { size: 1 },
    });
    await perform(restore, { do: 'releaseCluster' });
    expect((await lab.get()).metadata.annotations ?? {}).toEqual({});
    await perform(restore, { do: 'askCluster' });
    expect((await lab.get()).metadata.annotations).toEqual({ [annotations.restore]: 'back' });
  });

  it('creates the volume, the safety backup, and deletes what it has the uid of', async () => {
    await backedUp('b', stored);
    const { metadata: cluster } = await lab.create({ size: 1 });
    const restore = await create({ restoreType: 'Replace', confirmReplace: 'main' }, { slot: 1 });
    await perform(restore, { do: 'createClaim' }, { slot: 1 });
    const claims = lab.registry.resource(PersistentVolumeClaim);
    const { metadata: claim } = await claims.get('data-main-1');
    expect((await observe(restore)).claim).toMatchObject({ name: 'data-main-1', isOurs: true });
    await perform(restore, { do: 'createSafetyBackup', name: 'back-safety' });
    expect(await backups().get('back-safety')).toMatchObject({ spec: { clusterName: 'main', ...place } });
    await perform(restore, { do: 'deleteClaim', name: 'data-main-1', uid: claim.uid });
    await perform(restore, { do: 'deleteClaim', name: 'data-main-1', uid: claim.uid });
    expect((await claims.list()).items).toEqual([]);
    await perform(restore, { do: 'deleteCluster', uid: cluster.uid });
    expect((await lab.registry.resource(EtcdCluster).list()).items).toEqual([]);
  });
});
