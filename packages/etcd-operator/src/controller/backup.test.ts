/** What is observed of a backup, and what an action does: on a registry in memory, with decisions that are given. */
import { Pod } from '@ecsm/kubernetes';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentJob } from '../agent/job.ts';
import { EtcdBackup, type EtcdBackupInput, type EtcdBackupStatus } from '../apis/etcd-backup.ts';
import { EtcdCluster, type EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { labels } from '../apis/well-known.ts';
import { BACKUP_FINALIZER } from '../service/backup/decision.ts';
import type { BackupAction } from '../service/backup/model.ts';
import { BackupMonitoring } from '../service/backup/monitoring.ts';
import { backupOperator } from './backup.ts';
import { Lab } from './lab.kit.ts';

const place = { storageType: 'Volume', volume: { claimName: 'backups' } } as const;
const settings = { workerLookMs: 2_000, workerRetryMs: 10_000 };

let lab: Lab;
/** Addresses of workers that were asked. */
let asked: string[];
beforeEach(() => {
  lab = new Lab();
  asked = [];
});

const operator = backupOperator({
  settings,
  progress: async (address: string) => {
    asked.push(address);
    return { step: 'storing', bytes: 1, totalBytes: 2 };
  },
  image: 'operator:1',
  monitoring: new BackupMonitoring(undefined),
});

const backups = () => lab.registry.resource(EtcdBackup);
const pods = () => lab.registry.resource(Pod);
const uidOf = (id: string) => ({ kind: 'EtcdBackup', apiVersion: EtcdBackup.apiVersion, name: 'nightly', uid: id });

async function create(name: string, spec: Partial<EtcdBackupInput['spec']> = {}, status?: EtcdBackupStatus) {
  const created = await backups().create({ metadata: { name }, spec: { clusterName: 'main', ...place, ...spec } });
  return status ? backups().updateStatus({ ...created, status }) : created;
}

/** With three members that serve; the first one leads. */
async function serving(spec: EtcdClusterInput['spec'] = {}): Promise<void> {
  await lab.create({ size: 3, ...spec });
  await lab.start(3);
  const members = (['leader', 'follower', 'follower'] as const).map((role, slot) => {
    return { id: `${slot}`, name: `main-${slot}`, ready: true, role, lag: 5 - slot };
  });
  const status = { clusterID: 'c1', members, conditions: [available] };
  await lab.registry.resource(EtcdCluster).updateStatus({ ...(await lab.get()), status });
}

const available = {
  type: 'Available',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

const observe = (backup: EtcdBackup) => operator.observe(backup, { registry: lab.registry, memory: {} });
async function perform(backup: EtcdBackup, action: BackupAction, status: EtcdBackupStatus = {}): Promise<void> {
  const pass = { registry: lab.registry, memory: {} };
  expect(await operator.act(action, { ...backup, status }, await observe(backup), pass)).toBe('done');
}

async function jobsOf(name: string): Promise<readonly AgentJob[]> {
  const { spec } = await pods().get(name);
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ env }) => {
    const text = env?.find((one) => one.name === 'AGENT_JOB')?.value;
    return text === undefined ? [] : [JSON.parse(text) as AgentJob];
  });
}

describe('an observation of a backup', () => {
  it('has the members that serve, followers that are in sync first', async () => {
    await serving();
    const { cluster } = await observe(await create('once'));
    expect(cluster).toMatchObject({ clusterId: 'c1', isServing: true, isStopped: false });
    expect(cluster?.endpoints.map(({ address }) => address)).toEqual(['10.0.0.2', '10.0.0.1', '10.0.0.0']);
  });

  it('has no cluster if there is none, and asks for none when the run has ended', async () => {
    expect((await observe(await create('once'))).cluster).toBeUndefined();
    await serving();
    const done = await create('done', {}, { phase: 'Completed', worker: { name: 'gone' } });
    expect(await observe(done)).toMatchObject({ object: undefined, cluster: undefined, worker: undefined });
  });

  it('has the worker, and its progress while it runs', async () => {
    const backup = await create('once', {}, { phase: 'Running', worker: { name: 'worker' } });
    const spec = { containers: [{ name: 'agent', image: 'a' }] };
    const created = await pods().create({ metadata: { name: 'worker', ownerReferences: [uidOf('other')] }, spec });
    expect(await observe(backup)).toMatchObject({ worker: { isOurs: false }, progress: undefined });
    await pods().updateStatus({ ...created, status: { phase: 'Running', podIP: '10.9.9.9' } });
    expect(await observe(backup)).toMatchObject({ worker: { phase: 'Running' }, progress: { step: 'storing' } });
    expect(asked).toEqual(['10.9.9.9']);
  });

  it('has the runs of a schedule, the oldest first, and no others', async () => {
    const schedule = await create('nightly', { schedule: '0 2 * * *' });
    const run = async (name: string, uid: string) => {
      const metadata = { name, labels: { [labels.schedule]: 'nightly' }, ownerReferences: [uidOf(uid)] };
      await backups().create({ metadata, spec: { clusterName: 'main', ...place } });
      await lab.clock.advance(2_000);
    };
    await run('nightly-2', schedule.metadata.uid);
    await run('nightly-1', schedule.metadata.uid);
    await run('nightly-3', 'of a former schedule of the name');
    const { children, cluster } = await observe(schedule);
    expect(children.map(({ name }) => name)).toEqual(['nightly-2', 'nightly-1']);
    expect(cluster).toBeUndefined();
  });
});

describe('an action for a backup', () => {
  it('creates the pod that makes it, with the policy that its schedule has now', async () => {
    await serving({ security: { tls: { enabled: true } } });
    const schedule = await create('nightly', {
      schedule: '0 2 * * *',
      retentionPolicy: { maxBackups: 3, maxAge: '2d' },
    });
    const made = await backups().create({
      metadata: { name: 'run', ownerReferences: [uidOf(schedule.metadata.uid)] },
      spec: { clusterName: 'main', ...place, compression: true },
    });
    const action = { do: 'createWorker', name: 'run-1', purpose: 'backup', attempt: 1 } as const;
    await perform(made, action, { keyBase: 'default/main/x' });
    expect(await jobsOf('run-1')).toMatchObject([
      {
        do: 'backup',
        tls: true,
        keyBase: 'default/main/x',
        compression: 'gzip',
        isEncrypted: false,
        endpoints: [{ address: '10.0.0.2' }, { address: '10.0.0.1' }, { address: '10.0.0.0' }],
        source: { clusterId: 'c1', backup: 'run', schedule: 'nightly', scheduleUid: schedule.metadata.uid },
        retention: { maxBackups: 3, maxAgeMs: 2 * 86_400_000, scheduleUid: schedule.metadata.uid },
      },
    ]);
    expect(await pods().get('run-1')).toMatchObject({
      metadata: { ownerReferences: [{ uid: made.metadata.uid }] },
      spec: { containers: [{ image: 'operator:1' }] },
    });
  });

  it('creates the pod that removes what was stored', async () => {
    const status = { manifestPath: 'default/main/x.manifest.json' };
    await perform(await create('once'), { do: 'createWorker', name: 'p', purpose: 'prune', attempt: 1 }, status);
    expect(await jobsOf('p')).toMatchObject([{ do: 'prune', keys: ['default/main/x'] }]);
  });

  it('creates the pod of a rehearsal, which compares with what was recorded', async () => {
    await serving();
    await create(
      'run',
      {},
      {
        manifestPath: 'm.manifest.json',
        etcdRevision: '7',
        keys: 5,
        etcdVersion: '3.5.16',
        checksums: { snapshotSha256: 'a', storedSha256: 'b', hashKV: 'c' },
      },
    );
    const status = { rehearsal: { backup: 'run', worker: { name: 'r' } } };
    const schedule = await create('nightly', { schedule: '0 2 * * *' }, status);
    await perform(schedule, { do: 'createWorker', name: 'r', purpose: 'rehearsal', attempt: 1 }, status);
    const expected = { revision: '7', keys: 5, hashKV: 'c' };
    expect(await jobsOf('r')).toMatchObject([
      { do: 'fetch', key: 'm.manifest.json', expected: { snapshotSha256: 'a', storedSha256: 'b', revision: '7' } },
      { do: 'check', expected, certificates: '/scratch/certificates' },
    ]);
  });

  it('rehearses where the run was stored, also if the schedule stores elsewhere now', async () => {
    const keySecret = { name: 'former', key: 'key' };
    await create('run', { volume: { claimName: 'former' }, encryption: { keySecret } }, { manifestPath: 'm' });
    const status = { rehearsal: { backup: 'run', worker: { name: 'r' } } };
    const schedule = await create('nightly', { schedule: '0 2 * * *' }, status);
    await perform(schedule, { do: 'createWorker', name: 'r', purpose: 'rehearsal', attempt: 1 }, status);
    const { spec } = await pods().get('r');
    expect(spec.volumes).toMatchObject([
      { name: 'scratch' },
      { name: 'secrets' },
      { persistentVolumeClaim: { claimName: 'former' } },
      { secret: { secretName: 'former' } },
    ]);
  });

  it('creates runs of a schedule without what only a schedule has', async () => {
    const schedule = await create('nightly', {
      schedule: '0 2 * * *',
      retentionPolicy: { maxBackups: 3 },
      rehearse: { schedule: '0 5 * * *' },
      compression: true,
    });
    await perform(schedule, { do: 'createChild', name: 'nightly-1' });
    const { spec, metadata } = await backups().get('nightly-1');
    expect(spec).toMatchObject({ clusterName: 'main', compression: true });
    expect(spec).not.toHaveProperty('schedule');
    expect(spec).not.toHaveProperty('retentionPolicy');
    expect(metadata.ownerReferences).toMatchObject([{ uid: schedule.metadata.uid, controller: true }]);
  });

  it('deletes a run with its finalizer, but not one of the same name', async () => {
    const schedule = await create('nightly', { schedule: '0 2 * * *' });
    const metadata = { name: 'nightly-1', finalizers: [BACKUP_FINALIZER] };
    const { metadata: run } = await backups().create({ metadata, spec: { clusterName: 'main', ...place } });
    await perform(schedule, { do: 'deleteChild', name: 'nightly-1', uid: 'another' });
    await perform(schedule, { do: 'deleteChild', name: 'missing', uid: 'another' });
    expect((await backups().get('nightly-1')).metadata.finalizers).toEqual([BACKUP_FINALIZER]);
    await perform(schedule, { do: 'deleteChild', name: 'nightly-1', uid: run.uid });
    expect((await backups().list()).items.map((one) => one.metadata.name)).toEqual(['nightly']);
  });

  it('does nothing about a worker that is gone', async () => {
    const backup = await create('once');
    await perform(backup, { do: 'deleteWorker', name: 'gone', uid: 'u', purpose: 'backup' });
    expect((await pods().list()).items).toEqual([]);
  });
});
