/**
 * Goal: the manifests install on Kubernetes, and the operator has exactly the rights that it uses. Method: the program runs
 * with the token of its account, the API server audits its calls, and the rights that were used are compared with those
 * that the manifests grant.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestYaml } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectl, kubectlWith } from '../../../apiserver/test/kubectl.kit.ts';
import { etcdBinaries, skipWithoutRelease } from '../../src/client/etcd/binaries.kit.ts';
import { EtcdCluster, wellKnown } from '../../src/index.ts';
import { installation } from '../../src/program/manifests.ts';
import { ownerOf } from '../../src/resource/cluster.ts';
import { World } from '../world.kit.ts';
import { auditFlags, type Right, rightsGranted, rightsUsed } from './audit.kit.ts';
import { type EtcdControlPlane, startEtcdControlPlane } from './control-plane.kit.ts';

const namespace = 'etcd-operator';
const account = `system:serviceaccount:${namespace}:etcd-operator`;
const program = fileURLToPath(new URL('../../../../bin/etcd-operator', import.meta.url));
const timeoutMs = 600_000;
const kubectlPath = findKubectl();
const directory = mkdtempSync(join(tmpdir(), 'etcd-operator-installation-'));
const objects = installation({ image: 'etcd-operator:test', namespace });
let control: EtcdControlPlane | undefined;
let world: World | undefined;
let operator: ChildProcess | undefined;

afterAll(async () => {
  await stopOperator();
  await world?.stop();
  await control?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe.runIf(kubectlPath)('the manifests', () => {
  beforeAll(async () => {
    control = await startEtcdControlPlane({ flags: auditFlags(directory) });
  });

  const kubectl = (line: string, input?: string) =>
    kubectlWith(kubectlPath ?? '', control?.plane.kubeconfig ?? '', directory)(line, input);

  it('are applied by kubectl, and have nothing that a server would drop', async () => {
    const applied = await kubectl('apply --server-side --validate=strict -f -', await manifestYaml(objects));
    expect(applied).toMatchObject({ code: 0, err: '' });
    const again = await kubectl('apply --server-side --dry-run=server -f -', await manifestYaml(objects));
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out.trim().split('\n')).toHaveLength(objects.length);
  });

  it('grant the right to own objects that block the deletion of a cluster', async () => {
    const clusters = control?.registry.resource(EtcdCluster);
    const owner = await clusters?.create({ metadata: { name: 'owner' }, spec: { paused: true } });
    if (owner === undefined) throw new Error('not started');
    const metadata = { name: 'owned', namespace: 'default', ownerReferences: [ownerOf(owner)] };
    const owned = await manifestYaml([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
    const create = () => kubectl(`create --dry-run=server --as=${account} -f -`, owned);
    await expect.poll(async () => (await create()).code).toBe(0);
    const [role] = objects.filter((object) => 'kind' in object && object.kind === 'ClusterRole');
    await kubectl('replace -f -', await manifestYaml([withoutFinalizers(role ?? {})]));
    await expect.poll(async () => (await create()).err).toContain('cannot set blockOwnerDeletion');
    await kubectl('replace -f -', await manifestYaml([role ?? {}]));
    await clusters?.delete('owner');
  });

  it.skipIf(skipWithoutRelease('3.5'))(
    'grant exactly the rights that the operator uses',
    {
      timeout: timeoutMs,
    },
    async () => {
      if (control === undefined) throw new Error('not started');
      const token = await kubectl(`create token etcd-operator --namespace ${namespace}`);
      expect(token).toMatchObject({ code: 0 });
      const log = startOperator(token.out.trim(), control);
      world = await World.start({ registry: control.registry, hasControllers: true, hasOperator: false });
      await live(world);
      await stopOperator();

      const { used, denied } = rightsUsed(directory, account);
      expect(denied).toEqual([]);
      expect(log()).not.toMatch(/forbidden|dropped/i);
      // Nothing is called for this one, whose need is tested above.
      const checked: Right = 'etcd.ecsm.sh/etcdclusters/finalizers update';
      expect([...used, checked].sort()).toEqual(rightsGranted(objects));
    },
  );
});

function withoutFinalizers(role: object): object {
  const rules = 'rules' in role && Array.isArray(role.rules) ? role.rules : [];
  return { ...role, rules: rules.filter(({ resources }) => !resources.includes('etcdclusters/finalizers')) };
}

/** Everything that the operator does. */
async function live(at: World): Promise<void> {
  const found = etcdBinaries('3.5');
  const version = found.directory === undefined ? '' : `v${found.version}`;
  await at.create('main', { size: 3, version, storage: { retentionPolicy: { whenDeleted: 'Delete' } } });
  await at.change('main', { etcd: { options: { 'snapshot-count': 20_000 } } });
  await at.change('main', { storage: { size: '20Gi' } });
  await at.change('main', { size: 1 });
  await at.change('main', { size: 3 });
  for (const slot of [1, 2]) await at.loseVolume('main', slot);
  await at.until(
    'main',
    ({ status }) => findCondition(status?.conditions, 'Available')?.reason === 'QuorumLost',
    'the loss of the quorum is reported',
  );
  const annotations = { [wellKnown.annotations.recoverQuorumFrom]: 'auto' };
  await at.clusters.patch('main', { metadata: { annotations } });
  await at.until('main', ({ status }) => status?.recovery !== undefined, 'the recovery has started');
  await at.settled('main');
  await backUpAndRestore(at, version);
  for (const name of ['main', 'copy']) await at.clusters.delete(name);
  await expect.poll(async () => (await at.clusters.list()).items).toEqual([]);
  await expect.poll(() => at.claims('main')).toEqual([]);
}

/** On demand, by a schedule that deletes its oldest run and rehearses the newest, and restores that end well or not. */
async function backUpAndRestore(at: World, version: string): Promise<void> {
  const directory = await at.backupVolume('backups');
  const place = { storageType: 'Volume', volume: { claimName: 'backups' } } as const;
  const { backups, restores } = at;
  await backups.create({ metadata: { name: 'first' }, spec: { clusterName: 'main', ...place } });
  const { status } = await at.backedUp('first');
  expect(status?.phase, status?.message).toBe('Completed');
  await backups.create({
    metadata: { name: 'every' },
    spec: {
      clusterName: 'main',
      ...place,
      schedule: '* * * * *',
      retentionPolicy: { maxBackups: 1 },
      deletionPolicy: 'Delete',
      rehearse: { schedule: '* * * * *' },
    },
  });
  const clusterTemplate = { size: 1, version, storage: { retentionPolicy: { whenDeleted: 'Delete' } } } as const;
  const copy = { backupName: 'first', restoreType: 'New', clusterTemplate, backoffLimit: 0 } as const;
  await restores.create({ metadata: { name: 'copy' }, spec: { ...copy, clusterName: 'copy' } });
  expect((await at.restored('copy')).status).toMatchObject({ phase: 'Completed' });
  await restores.create({
    metadata: { name: 'back' },
    spec: { backupName: 'first', clusterName: 'main', restoreType: 'Replace', confirmReplace: 'main' },
  });
  expect((await at.restored('back')).status).toMatchObject({ phase: 'Completed' });
  const every = async () => (await backups.get('every')).status;
  const options = { timeout: timeoutMs / 2 };
  await expect.poll(async () => (await every())?.rehearsal?.result, options).toBe('Passed');
  // The first run is deleted after the second one.
  const firstRun = (await every())?.lastBackup;
  await expect.poll(async () => (await every())?.lastBackup, options).not.toBe(firstRun);
  const names = async () => (await backups.list()).items.map(({ metadata }) => metadata.name);
  await expect.poll(names, options).not.toContain(firstRun);
  // After the check, and before the data is fetched.
  await restores.create({ metadata: { name: 'failing' }, spec: { ...copy, clusterName: 'failing' } });
  await expect.poll(async () => (await restores.get('failing')).status?.step, { interval: 20 }).toMatch(/Preparing/u);
  writeFileSync(join(await directory(), status?.manifestPath ?? ''), '{}');
  expect((await at.restored('failing')).status).toMatchObject({ phase: 'Failed' });
  for (const name of await names()) await backups.delete(name);
  await expect.poll(names).toEqual([]);
}

/** With the arguments of the Deployment, but for its address. Returns what it has logged. */
function startOperator(token: string, { plane }: EtcdControlPlane): () => string {
  const kubeconfig = join(directory, 'kubeconfig');
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: plane.url, 'certificate-authority': plane.ca } }],
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'operator' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(file), { mode: 0o600 });
  const flags = ['--listen=off', '--leader-elect', `--lease-namespace=${namespace}`, '--health-seconds=5'];
  const child = spawn(process.execPath, [program, 'run', '--kubeconfig', kubeconfig, ...flags], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  operator = child;
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  return () => log;
}

async function stopOperator(): Promise<void> {
  const child = operator;
  operator = undefined;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
