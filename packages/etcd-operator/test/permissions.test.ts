/**
 * Goal: the permissions of an installation suffice, and none is too many. Method: the program runs as its service account
 * on our API server with RBAC, through the life of a cluster; the audit log has the verbs that it used.
 */
import { fileURLToPath } from 'node:url';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@ecsm/apiserver';
import { PersistentVolumeClaim, StorageClass } from '@ecsm/kubernetes';
import { startProcessNode } from '@ecsm/process-node';
import { expect, it, onTestFinished } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { EtcdBackup, EtcdCluster, EtcdRestore, whyUnsettled } from '../src/index.ts';
import { installation } from '../src/program/manifests.ts';
import { type AuditLine, openSite, startProgram } from './program.kit.ts';

const timeoutMs = 600_000;
const launchers = fileURLToPath(new URL('../../../bin', import.meta.url));
const user = 'system:serviceaccount:ops:etcd-operator';
const kinds = { ClusterRole, ClusterRoleBinding, Role, RoleBinding };

interface RuleObject {
  readonly kind: string;
  readonly rules?: readonly { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }[];
}

/** Kubernetes asks for these in addition: to create by apply, and to own objects that block a deletion. */
const needed = [
  'core/configmaps create',
  'core/services create',
  // A new cluster whose restore has failed, and runs of a schedule over time.
  'etcd.ecsm.sh/etcdbackups delete',
  'etcd.ecsm.sh/etcdclusters delete',
  'etcd.ecsm.sh/etcdclusters/finalizers update',
  'policy/poddisruptionbudgets create',
];

const objects = installation({ image: 'x', namespace: 'ops' }).map((object) => object as RuleObject);
const granted = objects
  .flatMap(({ rules = [] }) => rules)
  .flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group === '' ? 'core' : group}/${resource} ${verb}`)),
    ),
  );

function used({ objectRef, verb }: AuditLine): string[] {
  if (objectRef === undefined) return [];
  const { apiGroup = '', resource, subresource = '' } = objectRef;
  const path = [apiGroup === '' ? 'core' : apiGroup, resource, ...(subresource === '' ? [] : [subresource])].join('/');
  return [`${path} ${verb}`];
}

it.skipIf(skipWithoutRelease('3.5'))(
  'an operator with the permissions of its manifests does everything, and uses all of them',
  { timeout: timeoutMs },
  async () => {
    const site = await openSite();
    const { registry } = site;
    for (const object of objects) {
      const kind = Object.entries(kinds).find(([name]) => name === object.kind)?.[1];
      if (kind !== undefined) await registry.resource<unknown, unknown, unknown, unknown>(kind).create(object as never);
    }
    const binaries = (image: string) =>
      image.startsWith('etcd-operator:') ? launchers : etcdBinaries('3.5').directory;
    const node = await startProcessNode({ registry, binaries });
    onTestFinished(() => node.stop());
    const classes = registry.resource(StorageClass);
    for (const { metadata } of (await classes.list()).items) {
      await classes.patch(metadata.name, { allowVolumeExpansion: true });
    }
    const kubeconfig = await site.kubeconfigOf(user);
    const argv = ['--kubeconfig', kubeconfig, '--listen', 'off', '--leader-elect', '--lease-namespace', 'ops'];
    const { child, ended, err } = startProgram([...argv, '--health-seconds', '1', '--log-level', 'debug']);

    const clusters = registry.resource(EtcdCluster);
    const settled = () =>
      expect
        .poll(async () => whyUnsettled(await clusters.get('main')), { timeout: 120_000, message: err() })
        .toBeUndefined();
    const retentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Delete' } as const;
    const storage = { size: '1Gi', retentionPolicy };
    await clusters.create({ metadata: { name: 'main' }, spec: { size: 3, version: 'v3.5.16', storage } });
    await settled();
    await clusters.patch('main', { spec: { size: 1 } });
    await settled();
    await clusters.patch('main', { spec: { storage: { size: '2Gi' } } });
    const sizes = async () =>
      (await registry.resource(PersistentVolumeClaim).list()).items.map(
        ({ spec }) => spec.resources?.requests?.['storage'],
      );
    await expect.poll(sizes).toEqual(['2Gi']);
    await clusters.patch('main', { spec: { etcd: { options: { 'snapshot-count': 20_000 } } } });
    await settled();
    await registry.resource(PersistentVolumeClaim).create({
      metadata: { name: 'backups' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    const backups = registry.resource(EtcdBackup);
    const place = { storageType: 'Volume', volume: { claimName: 'backups' } } as const;
    await backups.create({
      metadata: { name: 'first' },
      spec: { clusterName: 'main', ...place, deletionPolicy: 'Delete' },
    });
    const phase = async () => (await backups.get('first')).status?.phase;
    await expect.poll(phase, { timeout: 120_000, message: err() }).toBe('Completed');
    const restores = registry.resource(EtcdRestore);
    await restores.create({
      metadata: { name: 'back' },
      spec: {
        backupName: 'first',
        clusterName: 'main',
        restoreType: 'Replace',
        confirmReplace: 'main',
        parkedVolumes: 'Delete',
      },
    });
    await restores.create({
      metadata: { name: 'copy' },
      spec: {
        backupName: 'first',
        clusterName: 'copy',
        restoreType: 'New',
        clusterTemplate: { size: 1, version: 'v3.5.16' },
      },
    });
    for (const name of ['back', 'copy']) {
      const ended = async () => (await restores.get(name)).status?.phase;
      await expect.poll(ended, { timeout: 180_000, message: err() }).toBe('Completed');
    }
    await settled();
    await backups.delete('first');
    await expect
      .poll(async () => (await backups.list()).items.map(({ metadata }) => metadata.name))
      .toEqual([expect.stringMatching(/^back-safety-/u)]);
    for (const name of ['main', 'copy']) await clusters.delete(name);
    await expect.poll(async () => (await clusters.list()).items, { timeout: 150_000 }).toEqual([]);
    child.kill('SIGTERM');
    expect(await ended, err()).toBe(0);
    await node.stop();

    const lines = (await site.audit()).filter((line) => line.user.username === user);
    const refused = lines.filter(({ responseStatus }) => responseStatus.code === 403);
    expect(refused.flatMap(used)).toEqual([]);
    const verbs = new Set(lines.flatMap(used));
    expect(granted.filter((permission) => !verbs.has(permission)).sort()).toEqual(needed);
  },
);
