/**
 * Goal: an object that was read as missing, and is not, is looked at again, what Kubernetes refuses comes to an end, and
 * progress is written at intervals. Method: a registry whose first write of an object is answered with `NotFound`, as after a
 * read of a replica that is behind, or that refuses to create a kind of objects, on a virtual clock.
 */
import { Pod } from '@ecsm/kubernetes';
import {
  ApiError,
  EmbeddedRegistry,
  Event,
  Informers,
  type Kind,
  MemoryStore,
  MetricRegistry,
  type Registry,
  silentLog,
  type WriteObserver,
} from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EtcdBackup } from '../apis/etcd-backup.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { annotations, labels } from '../apis/well-known.ts';
import { BackupMetricsClient } from '../client/metrics/backup-client.ts';
import type { ReadProgress } from '../client/worker/progress.ts';
import { BACKUP_FINALIZER } from '../service/backup/decision.ts';
import { BackupMonitoring } from '../service/backup/monitoring.ts';
import { RESTORE_FINALIZER } from '../service/restore/decision.ts';
import { BackupController } from './backup.ts';
import { operatorKinds, settingsDefault } from './operator.ts';
import { RestoreController } from './restore.ts';

/** The first call of the method finds nothing. */
function staleOnce(registry: Registry, kindName: string, method: 'updateStatus' | 'patch', calls = { count: 0 }) {
  const stale: Registry = bound(registry, {
    observedBy: (observer: WriteObserver) => staleOnce(registry.observedBy(observer), kindName, method, calls),
    resource: (kind: Kind) => {
      const resource = registry.resource(kind);
      if (kind.kind !== kindName || calls.count > 0) return resource;
      return bound(resource, {
        [method]: () => {
          calls.count++;
          return Promise.reject(new ApiError('NotFound', { kind: kindName, name: 'one' }));
        },
      });
    },
  });
  return stale;
}

/** As by a quota, or in a namespace that is being deleted. */
function refusing(registry: Registry, kindName: string): Registry {
  return bound(registry, {
    observedBy: (observer: WriteObserver) => refusing(registry.observedBy(observer), kindName),
    resource: (kind: Kind) => {
      const resource = registry.resource(kind);
      if (kind.kind !== kindName) return resource;
      return bound(resource, {
        create: () => Promise.reject(new ApiError('Forbidden', { reason: 'exceeded quota' })),
      });
    },
  });
}

/** As of an older definition, whose rules were others: reads of the kind have these fields in the spec. */
function misread(registry: Registry, kindName: string, fields: object): Registry {
  return bound(registry, {
    observedBy: (observer: WriteObserver) => misread(registry.observedBy(observer), kindName, fields),
    resource: (kind: Kind) => {
      const resource = registry.resource(kind);
      if (kind.kind !== kindName) return resource;
      return bound(resource, {
        get: async (...of: Parameters<typeof resource.get>) => {
          const object = await resource.get(...of);
          return { ...object, spec: { ...(object.spec as object), ...fields } };
        },
        // A server has the object itself.
        updateStatus: (...[update, { known: _, ...options } = {}]: Parameters<typeof resource.updateStatus>) =>
          resource.updateStatus(update, options),
      });
    },
  });
}

/** The object with some of its methods replaced. */
function bound<T extends object>(object: T, replaced: Readonly<Record<string, unknown>>): T {
  return new Proxy(object, {
    get(target, name) {
      if (typeof name === 'string' && name in replaced) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function open() {
  const clock = new VirtualClock();
  return { clock, registry: new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock }) };
}

/** Runs the controllers for as long as a few looks take. */
async function run(
  registry: Registry,
  clock: VirtualClock,
  progress: ReadProgress = async () => undefined,
  forMs = settingsDefault.workerLookMs * 3,
  monitoring = new BackupMonitoring(undefined),
): Promise<void> {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const options = { settings: settingsDefault, progress, image: 'operator', monitoring, workers: 1, log: silentLog };
  const controllers = [BackupController(options), RestoreController(options)];
  const informers = new Informers({ registry, log: silentLog });
  for (const controller of controllers) {
    void controller.run({ registry, informers, signal: end.signal }).catch(() => {});
  }
  await clock.advance(forMs);
}

const backupSpec = { clusterName: 'main', storageType: 'Volume', volume: { claimName: 'backups' } } as const;

it('a backup whose first status was not written is not forgotten', async () => {
  const { clock, registry } = open();
  await registry.resource(EtcdBackup).create({ metadata: { name: 'once' }, spec: backupSpec });
  await run(staleOnce(registry, 'EtcdBackup', 'updateStatus'), clock);
  expect((await registry.resource(EtcdBackup).get('once')).status).toMatchObject({ phase: 'Failed' });
});

it('a restore whose first status was not written is not forgotten', async () => {
  const { clock, registry } = open();
  const spec = { clusterName: 'main', backupName: 'gone', restoreType: 'Replace', confirmReplace: 'main' } as const;
  await registry.resource(EtcdRestore).create({ metadata: { name: 'back' }, spec });
  await run(staleOnce(registry, 'EtcdRestore', 'updateStatus'), clock);
  expect((await registry.resource(EtcdRestore).get('back')).status).toMatchObject({ phase: 'Failed' });
});

it('a deleted backup whose finalizer was not removed is not forgotten', async () => {
  const { clock, registry } = open();
  const backups = registry.resource(EtcdBackup);
  const metadata = { name: 'once', finalizers: [BACKUP_FINALIZER] };
  await backups.create({ metadata, spec: { ...backupSpec, deletionPolicy: 'Delete' } });
  await backups.delete('once');
  await run(staleOnce(registry, 'EtcdBackup', 'patch'), clock);
  expect((await backups.list()).items).toEqual([]);
});

it('a backup is deleted although more of them are complete than have metrics', async () => {
  const { clock, registry } = open();
  const metrics = new BackupMetricsClient(new MetricRegistry());
  for (let index = 0; index < 1_000; index++) {
    metrics.set({ namespace: 'default', backup: `other-${index}` }, { lastSuccessMs: 0, sizeBytes: 1 });
  }
  const backups = registry.resource(EtcdBackup);
  const created = await backups.create({
    metadata: { name: 'once', finalizers: [BACKUP_FINALIZER] },
    spec: backupSpec,
  });
  const status = { phase: 'Completed', completionTime: '2026-01-01T00:00:00Z', backupSize: 1 } as const;
  await backups.updateStatus({ ...created, status });
  await backups.delete('once');
  await run(registry, clock, undefined, undefined, new BackupMonitoring(metrics));
  expect((await backups.list()).items).toEqual([]);
});

it('the progress of a backup is written once a look, and not after each of its own writes', async () => {
  const { clock, registry } = open();
  const backups = registry.resource(EtcdBackup);
  const created = await backups.create({ metadata: { name: 'once' }, spec: backupSpec });
  const { apiVersion, kind, metadata } = created;
  const ownerReferences = [{ apiVersion, kind, name: 'once', uid: metadata.uid }];
  const pod = { name: 'once-backup', labels: { [labels.attempt]: '1' }, ownerReferences };
  const { uid } = (
    await registry.resource(Pod).create({ metadata: pod, spec: { containers: [{ name: 'agent', image: 'operator' }] } })
  ).metadata;
  await registry
    .resource(Pod)
    .updateStatus({ metadata: { name: pod.name }, status: { phase: 'Running', podIP: '127.0.0.1' } });
  const startTime = new Date(clock.now()).toISOString();
  const worker = { name: pod.name, uid, startedAt: startTime };
  await backups.updateStatus({ metadata, status: { phase: 'Running', startTime, attempts: 1, worker } });
  let asked = 0;
  // It ends: otherwise a controller that triggers itself would never be done at the same time of the clock.
  await run(registry, clock, async () => ({ step: 'storing', bytes: Math.min(++asked, 50) }));
  // At the start, and after each of three looks.
  expect(asked).toBe(4);
  expect((await backups.get('once')).status?.progress).toMatchObject({ bytes: asked });
});

const minutesMs = 300_000;

it('a deleted backup does not wait for ever for a pod that Kubernetes refuses', async () => {
  const { clock, registry } = open();
  const backups = registry.resource(EtcdBackup);
  const metadata = { name: 'once', finalizers: [BACKUP_FINALIZER] };
  const created = await backups.create({ metadata, spec: { ...backupSpec, deletionPolicy: 'Delete' } });
  const status = { phase: 'Completed', manifestPath: 'm.manifest.json', storagePath: 'm.db' } as const;
  await backups.updateStatus({ ...created, status });
  await backups.delete('once');
  await run(refusing(registry, 'Pod'), clock, undefined, minutesMs);
  expect((await backups.list()).items).toEqual([]);
  const events = (await registry.resource(Event).list()).items.map((event) => Event.fieldsOf(event));
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'Warning',
      reason: 'ActionRefused',
      message: expect.stringMatching(/^createWorker: .*exceeded quota/u),
    }),
  );
});

it.each(['Pod', 'PersistentVolumeClaim'])('a restore leads back if Kubernetes refuses its %s', async (kindName) => {
  const { clock, registry } = open();
  const [clusters, restores, backups] = [EtcdCluster, EtcdRestore, EtcdBackup].map((kind) =>
    registry.resource(kind as Kind),
  );
  await backups?.create({ metadata: { name: 'b' }, spec: backupSpec });
  await backups?.updateStatus({ metadata: { name: 'b' }, status: { phase: 'Completed', manifestPath: 'm' } });
  const spec = { clusterName: 'main', backupName: 'b', restoreType: 'Replace', confirmReplace: 'main' } as const;
  const metadata = { name: 'back', finalizers: [RESTORE_FINALIZER] };
  const { uid } = (await restores?.create({ metadata, spec: { ...spec, timeoutSeconds: 60 } }))?.metadata ?? {};
  const annotated = { name: 'main', annotations: { [annotations.restore]: 'back' } };
  const cluster = await clusters?.create({ metadata: annotated, spec: {} });
  const startedAt = new Date(clock.now()).toISOString();
  const restore = { uid, phase: 'Waiting', slot: 3, startedAt };
  await clusters?.updateStatus({ metadata: { name: 'main' }, status: { restore } });
  await restores?.updateStatus({
    metadata: { name: 'back' },
    status: { phase: 'Running', step: 'Preparing', slot: 3, stepTime: startedAt, clusterUID: cluster?.metadata.uid },
  });
  await run(refusing(registry, kindName), clock, undefined, minutesMs);
  expect((await restores?.get('back'))?.status).toMatchObject({ phase: 'RollingBack' });
});

it.each([
  ['is set when it runs, if what it stores is deleted with it', 'Delete', [], 'Running', [BACKUP_FINALIZER]],
  ['is removed while it waits for its cluster', 'Delete', [BACKUP_FINALIZER], undefined, []],
  ['is not set again when it has ended', 'Delete', [], 'Completed', []],
  ['is removed if what it stores is kept', 'Retain', [BACKUP_FINALIZER], 'Running', []],
] as const)('the finalizer of a run %s', async (_what, deletionPolicy, finalizers, phase, expected) => {
  const { clock, registry } = open();
  await registry.resource(EtcdCluster).create({ metadata: { name: 'main' }, spec: {} });
  const backups = registry.resource(EtcdBackup);
  const metadata = { name: 'once', finalizers: [...finalizers] };
  await backups.create({ metadata, spec: { ...backupSpec, deletionPolicy } });
  const startTime = new Date(clock.now()).toISOString();
  if (phase) await backups.updateStatus({ metadata: { name: 'once' }, status: { phase, startTime } });
  await run(registry, clock);
  expect((await backups.get('once')).metadata.finalizers ?? []).toEqual(expected);
});

describe('the finalizer of a restore', () => {
  const finalizersOf = async (registry: Registry, name: string) =>
    (await registry.resource(EtcdRestore).get(name)).metadata.finalizers ?? [];
  const spec = { clusterName: 'main', backupName: 'b', restoreType: 'Replace', confirmReplace: 'main' } as const;

  it('is there from its first step on', async () => {
    const { clock, registry } = open();
    await registry.resource(EtcdBackup).create({ metadata: { name: 'b' }, spec: backupSpec });
    await registry.resource(EtcdCluster).create({ metadata: { name: 'main' }, spec: {} });
    await registry.resource(EtcdRestore).create({ metadata: { name: 'back' }, spec });
    // Waits for the backup: nothing is to be led back.
    await run(registry, clock);
    expect(await finalizersOf(registry, 'back')).toEqual([]);
    const status = { phase: 'Completed', manifestPath: 'm' } as const;
    await registry.resource(EtcdBackup).updateStatus({ metadata: { name: 'b' }, status });
    await clock.advance(settingsDefault.workerLookMs);
    expect((await registry.resource(EtcdRestore).get('back')).status).toMatchObject({ step: 'Checking' });
    expect(await finalizersOf(registry, 'back')).toEqual([RESTORE_FINALIZER]);
  });

  it.each([
    ['has ended', { phase: 'Completed', step: 'Done' }],
    ['fails after it was led back', { phase: 'RollingBack', step: 'RollingBack' }],
  ] as const)('is removed from one that %s', async (_what, status) => {
    const { clock, registry } = open();
    const metadata = { name: 'back', finalizers: ['others/own', RESTORE_FINALIZER] };
    await registry.resource(EtcdRestore).create({ metadata, spec });
    await registry.resource(EtcdRestore).updateStatus({ metadata: { name: 'back' }, status });
    await run(registry, clock);
    expect(await finalizersOf(registry, 'back')).toEqual(['others/own']);
  });
});

it('a restore whose spec is not valid fails with what is wrong, and nothing is created', async () => {
  const { clock, registry } = open();
  await registry.resource(EtcdBackup).create({ metadata: { name: 'b' }, spec: backupSpec });
  const spec = { clusterName: 'main', backupName: 'b', restoreType: 'Replace', confirmReplace: 'main' } as const;
  await registry.resource(EtcdRestore).create({ metadata: { name: 'back' }, spec });
  await run(misread(registry, 'EtcdRestore', { confirmReplace: 'other' }), clock);
  const { status, metadata } = await registry.resource(EtcdRestore).get('back');
  expect(status).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('spec.confirmReplace'),
    conditions: [{ type: 'Complete', status: 'False', reason: 'InvalidSpec' }],
  });
  expect(metadata.finalizers ?? []).toEqual([]);
});
