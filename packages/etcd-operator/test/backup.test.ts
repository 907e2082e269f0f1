/**
 * Goal: clusters of real etcd processes are backed up to a volume and restored, and nothing that a backup contains is
 * missing afterwards. Method: worker pods are processes of the operator's own program; keys are compared one by one.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { S3Server, skipWithoutS3 } from '../src/client/storage/s3/s3-server.kit.ts';
import { World } from './world.kit.ts';

const timeoutMs = 600_000;
const found = etcdBinaries('3.5');
const version = `v${found.directory === undefined ? '3.5.0' : found.version}`;
const place = { storageType: 'Volume', volume: { claimName: 'backups', path: 'etcd' } } as const;
const count = 50;

describe.skipIf(skipWithoutRelease('3.5'))('backups on a volume', () => {
  let world: World;
  let directory: () => Promise<string>;
  const files = async () => {
    const root = await directory();
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|db)$/u.test(name));
  };

  beforeAll(async () => {
    world = await World.start();
    directory = await world.backupVolume('backups');
    await world.create('main', { size: 3, version });
    const client = await world.client('main');
    for (let index = 0; index < count; index++) await client.put(`key/${index}`, `value ${index}`);
    client.close();
  }, timeoutMs);
  afterAll(async () => {
    await world?.stop();
  }, timeoutMs);

  it('one is stored and verified, with what it contains in its status', { timeout: timeoutMs }, async () => {
    await world.backups.create({ metadata: { name: 'first' }, spec: { clusterName: 'main', ...place } });
    const { status } = await world.backedUp('first');
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      attempts: 1,
      etcdVersion: version.slice(1),
      storagePath: expect.stringMatching(/^default\/main\/\d{8}T\d{6}Z/u),
      backupSize: expect.any(Number),
      checksums: { snapshotSha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    });
    expect(Number(status?.etcdRevision)).toBeGreaterThan(count);
    expect(findCondition(status?.conditions, 'Complete')).toMatchObject({ status: 'True', reason: 'Completed' });
    expect(existsSync(join(await directory(), 'etcd', status?.storagePath ?? ''))).toBe(true);
    expect(existsSync(join(await directory(), 'etcd', status?.manifestPath ?? ''))).toBe(true);
    await expect
      .poll(
        async () =>
          (
            await world.registry
              .resource((await import('@ecsm/kubernetes')).Pod)
              .list({ labelSelector: 'etcd.ecsm.sh/backup=first' })
          ).items,
      )
      .toEqual([]);
  });

  it('one of a cluster that does not exist fails with words', { timeout: timeoutMs }, async () => {
    await world.backups.create({ metadata: { name: 'nothing' }, spec: { clusterName: 'other', ...place } });
    const { status } = await world.backedUp('nothing');
    expect(status).toMatchObject({ phase: 'Failed', message: 'there is no EtcdCluster other in this namespace' });
  });

  it('a new cluster is created from one, with every key and a higher revision', { timeout: timeoutMs }, async () => {
    await world.restores.create({
      metadata: { name: 'copy' },
      spec: { backupName: 'first', clusterName: 'copy', restoreType: 'New', clusterTemplate: { size: 3, version } },
    });
    const { status } = await world.restored('copy');
    expect(status, JSON.stringify(status)).toMatchObject({ phase: 'Completed', step: 'Done', slot: 0 });
    const restored = await world.settled('copy');
    expect(restored.status).toMatchObject({ readyReplicas: 3, restoredFrom: expect.any(String) });
    expect(restored.status?.clusterID).not.toBe((await world.clusters.get('main')).status?.clusterID);
    const client = await world.client('copy');
    for (let index = 0; index < count; index++) expect(await client.get(`key/${index}`)).toBe(`value ${index}`);
    expect((await client.status()).revision).toBeGreaterThan(1_000_000_000n);
    client.close();
  });

  it('a restore that fails leaves the cluster as it was, and starts its members again', {
    timeout: timeoutMs,
  }, async () => {
    const before = (await world.clusters.get('main')).status;
    const first = await world.backups.get('first');
    const manifest = join(await directory(), 'etcd', first.status?.manifestPath ?? '');
    // After it was checked: the file is replaced while the members stop.
    await world.restores.create({
      metadata: { name: 'broken' },
      spec: {
        backupName: 'first',
        clusterName: 'main',
        restoreType: 'Replace',
        confirmReplace: 'main',
        safetyBackup: false,
        backoffLimit: 0,
      },
    });
    await expect
      .poll(async () => (await world.restores.get('broken')).status?.step, { interval: 20 })
      .toMatch(/Stopping|Preparing/u);
    const content = (await import('node:fs')).readFileSync(manifest);
    writeFileSync(manifest, '{}');
    const { status } = await world.restored('broken');
    writeFileSync(manifest, content);
    expect(status, JSON.stringify(status)).toMatchObject({ phase: 'Failed' });
    const after = (await world.settled('main')).status;
    expect(after).toMatchObject({ readyReplicas: 3, clusterID: before?.clusterID });
    expect(after?.members?.map(({ id }) => id)).toEqual(before?.members?.map(({ id }) => id));
    expect(await world.claims('main')).toEqual(['data-main-0', 'data-main-1', 'data-main-2']);
    expect((await world.clusters.get('main')).metadata.annotations ?? {}).toEqual({});
    const client = await world.client('main');
    expect(await client.get('key/7')).toBe('value 7');
    client.close();
  });

  it('one replaces the data of a running cluster, after a safety backup', { timeout: timeoutMs }, async () => {
    const client = await world.client('main');
    await client.put('key/0', 'changed');
    await client.put('late', 'lost on purpose');
    const newest = (await client.status()).revision;
    client.close();
    const writer = await world.writer('main');
    await world.restores.create({
      metadata: { name: 'back' },
      spec: { backupName: 'first', clusterName: 'main', restoreType: 'Replace', confirmReplace: 'main' },
    });
    const { status } = await world.restored('back');
    expect(status, JSON.stringify(status)).toMatchObject({
      phase: 'Completed',
      safetyBackup: expect.stringMatching(/^back-safety-[0-9a-f]{8}$/u),
      parkedVolumes: ['data-main-0', 'data-main-1', 'data-main-2'],
    });
    expect((await world.backups.get(status?.safetyBackup ?? '')).status?.phase).toBe('Completed');
    const { status: cluster } = await world.settled('main');
    expect(cluster).toMatchObject({
      readyReplicas: 3,
      members: [{ name: 'main-3' }, { name: 'main-4' }, { name: 'main-5' }],
    });
    void writer.lost().catch(() => {});
    const after = await world.client('main');
    expect(await after.get('key/0')).toBe('value 0');
    expect(await after.get('late')).toBeUndefined();
    expect((await after.status()).revision).toBeGreaterThan(newest);
    after.close();
    expect(await world.eventReasons('main')).toContain('ClusterRestored');
  });

  it.skipIf(skipWithoutS3('rclone'))(
    'one in a bucket with TLS, compressed and encrypted, becomes a new cluster, but not with another key',
    { timeout: timeoutMs },
    async () => {
      const server = await S3Server.start('rclone', { tls: true });
      try {
        const { bucket, endpoint = '' } = await server.bucket();
        const { accessKeyId, secretAccessKey } = server.credentials;
        await world.createSecret('store', { accessKeyId, secretAccessKey });
        await world.createSecret('store-ca', { 'ca.crt': server.ca ?? '' });
        await world.createSecret('right', { key: 'a1'.repeat(32) });
        await world.createSecret('wrong', { key: 'b2'.repeat(32) });
        const destination = {
          storageType: 'S3',
          s3: { bucket, endpoint, credentialsSecret: { name: 'store' }, caSecret: { name: 'store-ca' } },
        } as const;
        const encryptedBy = (name: string) => ({ encryption: { keySecret: { name } } });
        await world.backups.create({
          metadata: { name: 'bucket' },
          spec: { clusterName: 'main', ...destination, compression: true, ...encryptedBy('right') },
        });
        const { status } = await world.backedUp('bucket');
        expect(status, JSON.stringify(status)).toMatchObject({
          phase: 'Completed',
          storagePath: expect.stringMatching(/\.db\.gz\.enc$/u),
        });
        const location = { ...destination, key: status?.manifestPath ?? '' };
        const target = { restoreType: 'New', clusterTemplate: { size: 1, version }, backoffLimit: 0 } as const;
        await world.restores.create({
          metadata: { name: 'locked' },
          spec: { location, ...encryptedBy('wrong'), clusterName: 'locked', ...target },
        });
        const { status: refused } = await world.restored('locked');
        expect(refused).toMatchObject({ phase: 'Failed', message: expect.stringContaining('key') });
        expect((await world.clusters.list()).items.map(({ metadata }) => metadata.name)).not.toContain('locked');
        await world.restores.create({
          metadata: { name: 'unlocked' },
          spec: { location, ...encryptedBy('right'), clusterName: 'unlocked', ...target },
        });
        expect((await world.restored('unlocked')).status).toMatchObject({ phase: 'Completed' });
        const client = await world.client('unlocked');
        for (let index = 0; index < count; index++) expect(await client.get(`key/${index}`)).toBe(`value ${index}`);
        client.close();
      } finally {
        await server.close();
      }
    },
  );

  it('one of a cluster with authentication becomes one with the same users, keys, revisions and leases', {
    timeout: timeoutMs,
  }, async () => {
    await world.create('guarded', { size: 1, version });
    const etcdctl = await world.etcdctl('guarded');
    const lease = /lease ([0-9a-f]+) granted/u.exec(etcdctl('lease', 'grant', '3600'))?.[1] ?? '';
    for (let index = 0; index < 12; index++)
      etcdctl('put', `key/${index % 8}`, `${index}`, ...(index % 3 === 0 ? ['--lease', lease] : []));
    etcdctl('del', '--prefix', 'key/1');
    etcdctl('put', 'key/1', 'again');
    etcdctl('user', 'add', 'root:secret');
    etcdctl('user', 'grant-role', 'root', 'root');
    etcdctl('auth', 'enable');
    await world.settled('guarded');
    await world.backups.create({ metadata: { name: 'guarded' }, spec: { clusterName: 'guarded', ...place } });
    const { status } = await world.backedUp('guarded');
    expect(status, JSON.stringify(status)).toMatchObject({ phase: 'Completed', keys: 8 });
    const target = { clusterName: 'twin', restoreType: 'New', clusterTemplate: { size: 1, version } } as const;
    await world.restores.create({ metadata: { name: 'guarded' }, spec: { backupName: 'guarded', ...target } });
    const { status: restored } = await world.restored('guarded');
    expect(restored, JSON.stringify(restored)).toMatchObject({ phase: 'Completed' });
    const copy = await world.etcdctl('twin');
    const read = (words: typeof copy) => {
      const { kvs } = JSON.parse(words('get', '--prefix', 'key/', '-w', 'json')) as {
        readonly kvs: readonly unknown[];
      };
      return {
        kvs,
        users: words('user', 'list'),
        leases: words('lease', 'list'),
        auth: words('auth', 'status').split('\n')[0],
      };
    };
    expect(read(copy)).toEqual(read(etcdctl));
    expect(read(copy)).toMatchObject({ kvs: { length: 8 }, auth: 'Authentication Status: true' });
  });

  it('a schedule makes them, and rehearses the newest', { timeout: timeoutMs }, async () => {
    await world.backups.create({
      metadata: { name: 'every' },
      spec: {
        clusterName: 'main',
        ...place,
        schedule: '* * * * *',
        retentionPolicy: { maxBackups: 1 },
        rehearse: { schedule: '* * * * *' },
      },
    });
    await expect
      .poll(async () => (await world.backups.get('every')).status?.rehearsal?.result, { timeout: 300_000 })
      .toBe('Passed');
    const { status } = await world.backups.get('every');
    expect(status).toMatchObject({ phase: 'Scheduled', lastBackup: expect.stringMatching(/^every-\d+$/u) });
    await world.backups.patch('every', { spec: { suspend: true } });
    await expect.poll(async () => (await world.backups.get('every')).status?.phase).toBe('Suspended');
    expect(await files()).not.toEqual([]);
  });

  it('one with the policy Delete takes the stored object along', { timeout: timeoutMs }, async () => {
    const spec = { clusterName: 'main', ...place, deletionPolicy: 'Delete' } as const;
    await world.backups.create({ metadata: { name: 'brief' }, spec });
    const { status } = await world.backedUp('brief');
    const file = join(await directory(), 'etcd', status?.storagePath ?? '');
    expect(existsSync(file)).toBe(true);
    await world.backups.delete('brief');
    await expect
      .poll(async () => (await world.backups.list()).items.map(({ metadata }) => metadata.name))
      .not.toContain('brief');
    expect(existsSync(file)).toBe(false);
  });
});
