/**
 * Goal: clusters of real etcd processes are created, scaled, stopped, healed and upgraded, and no acknowledged write is
 * lost. Method: a client writes all the time; the same suite runs on our API server and on Kubernetes.
 */
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdRelease, etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { eventually, outcome } from '../src/client/etcd/suite.kit.ts';
import { wellKnown } from '../src/index.ts';
import { World, type WorldOptions } from './world.kit.ts';
import type { Writer } from './writer.kit.ts';

const timeoutMs = 600_000;

export function lifeCycle(name: string, options: () => Promise<WorldOptions>): void {
  describe(name, () => {
    let world: World;
    beforeAll(async () => {
      world = await World.start(await options());
    }, timeoutMs);
    afterAll(async () => {
      await world?.stop();
    }, timeoutMs);

    describe.skipIf(skipWithoutRelease('3.5'))('a cluster with TLS', () => {
      let writer: Writer;
      const version = versionOf('3.5');

      it('is created with three voting members', { timeout: timeoutMs }, async () => {
        await world.create('main', { size: 3, version });
        const { status } = await world.clusters.get('main');
        expect(status).toMatchObject({ phase: 'Running', replicas: 3, readyReplicas: 3 });
        expect(status?.members?.map(({ role }) => role).sort()).toEqual(['follower', 'follower', 'leader']);
        expect(status?.members?.map(({ name, version: runs }) => `${name} ${runs}`)).toEqual(
          [0, 1, 2].map((slot) => `main-${slot} ${version.slice(1)}`),
        );
        expect(findCondition(status?.conditions, 'CertificatesReady')?.status).toBe('True');
        writer = await world.writer('main');
      });

      it('serves again after a member was killed, with the same members', { timeout: timeoutMs }, async () => {
        const before = (await world.clusters.get('main')).status?.members?.map(({ id }) => id);
        world.node.kill('main-1');
        await expect.poll(async () => (await world.pods('main')).map(restartsOf)).toEqual([0, 1, 0]);
        const { status } = await world.settled('main');
        expect(status?.members?.map(({ id }) => id)).toEqual(before);
      });

      it('replaces a member whose volume was lost', { timeout: timeoutMs }, async () => {
        const idOf = async () =>
          (await world.clusters.get('main')).status?.members?.find(({ name: of }) => of === 'main-1')?.id;
        const before = await idOf();
        await world.loseVolume('main', 1);
        await expect.poll(idOf, { timeout: 150_000 }).not.toBe(before);
        const { status } = await world.settled('main');
        expect(status).toMatchObject({ replicas: 3, readyReplicas: 3 });
        expect(await world.eventReasons('main')).toContain('MemberReplaced');
      });

      it('is scaled to one member and back, and deletes the volumes of removed members', {
        timeout: timeoutMs,
      }, async () => {
        await world.change('main', { size: 1 });
        await expect.poll(() => world.claims('main')).toEqual(['data-main-0']);
        const { status } = await world.change('main', { size: 3 });
        expect(status?.members?.map(({ name: of }) => of)).toEqual(['main-0', 'main-1', 'main-2']);
      });

      it('restarts one member after another when its settings change', { timeout: timeoutMs }, async () => {
        writer.takeGapMs();
        const before = (await world.pods('main')).map(({ metadata }) => metadata.uid);
        await world.change('main', { etcd: { options: { 'snapshot-count': 20_000 } } });
        const after = (await world.pods('main')).map(({ metadata }) => metadata.uid);
        expect(after.filter((uid) => before.includes(uid))).toEqual([]);
      });

      it('is continued by another operator in the middle of a change', { timeout: timeoutMs }, async () => {
        await world.clusters.patch('main', { spec: { size: 1 } });
        await world.until(
          'main',
          ({ status }) => status?.operation?.type === 'RemoveMember',
          'a member is being removed',
        );
        await world.stopOperator();
        world.startOperator();
        const { status } = await world.settled('main');
        expect(status).toMatchObject({ replicas: 1, readyReplicas: 1 });
        await world.change('main', { size: 3 });
      });

      it('is stopped, keeps its volumes, and starts with the same members', { timeout: timeoutMs }, async () => {
        const before = (await world.clusters.get('main')).status;
        const { status } = await world.change('main', { size: 0 });
        expect(status?.phase).toBe('Stopped');
        expect(await world.pods('main')).toEqual([]);
        expect(await world.claims('main')).toEqual(['data-main-0', 'data-main-1', 'data-main-2']);
        const { status: after } = await world.change('main', { size: 3 });
        expect(after?.members?.map(({ id }) => id)).toEqual(before?.members?.map(({ id }) => id));
        expect(after?.clusterID).toBe(before?.clusterID);
      });

      it('has lost no acknowledged write', { timeout: timeoutMs }, async () => {
        expect(writer.acknowledged).toBeGreaterThan(100);
        expect(await writer.lost()).toEqual([]);
      });

      it('is recovered from one member, if allowed, after two volumes were lost', { timeout: timeoutMs }, async () => {
        await world.stopOperator();
        await world.loseVolume('main', 0);
        await world.loseVolume('main', 1);
        world.startOperator();
        const lost = await world.until(
          'main',
          ({ status }) => findCondition(status?.conditions, 'Available')?.reason === 'QuorumLost',
          'the loss of the quorum is reported',
        );
        expect(lost.status?.phase).toBe('Failed');
        const annotations = { [wellKnown.annotations.recoverQuorumFrom]: 'auto' };
        await world.clusters.patch('main', { metadata: { annotations } });
        await world.until('main', ({ status }) => status?.recovery !== undefined, 'the recovery has started');
        const { status, metadata } = await world.settled('main');
        expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, clusterID: lost.status?.clusterID });
        expect(metadata.annotations ?? {}).not.toHaveProperty(wellKnown.annotations.recoverQuorumFrom);
      });

      it('is deleted with its objects, keeps its volumes, and its name is refused to a new cluster', {
        timeout: timeoutMs,
      }, async () => {
        await world.clusters.delete('main');
        await expect.poll(async () => (await world.clusters.list()).items).toEqual([]);
        expect(await world.pods('main')).toEqual([]);
        expect(await world.claims('main')).toHaveLength(3);
        await world.clusters.create({ metadata: { name: 'main' }, spec: { size: 1, version } });
        const { status } = await world.until('main', ({ status: now }) => now?.phase === 'Failed', 'it is refused');
        expect(findCondition(status?.conditions, 'Degraded')?.reason).toBe('VolumesExist');
        await world.clusters.delete('main');
        await expect.poll(async () => (await world.clusters.list()).items).toEqual([]);
      });
    });

    describe.skipIf(skipWithoutRelease('3.5'))('a database that is full of history', () => {
      it('has room after the first attempt: it was defragmented before the history was deleted', {
        timeout: timeoutMs,
      }, async () => {
        // A few revisions at a time, so that deleting all of them takes as long as in a large database: half a minute.
        const options = {
          'experimental-compaction-batch-limit': 20,
          'experimental-compaction-sleep-interval': '500ms',
        };
        const etcd = { quotaBackendBytes: '2Mi', options };
        await world.create('full', { size: 3, version: versionOf('3.5'), etcd });
        const client = await world.client('full');
        const fill = async () => {
          for (let count = 0; count < 4_000; count++) await client.put('key', 'x'.repeat(900));
        };
        expect(await outcome(fill())).toBe('NoSpace');
        await eventually(() => client.put('key', 'small'));
        client.close();
        await expect.poll(() => world.eventReasons('full')).toContain('AlarmDisarmed');
        const messages = await world.eventMessages('full');
        expect(messages.filter((message) => /fills the quota|did not shrink/u.test(message))).toEqual([]);
        await world.clusters.delete('full');
        await expect.poll(async () => (await world.clusters.list()).items).toEqual([]);
      });
    });

    describe.skipIf(skipWithoutRelease('3.5-built') || skipWithoutRelease('3.6'))('an upgrade from 3.5 to 3.6', () => {
      it('restarts one member after another, and loses no acknowledged write', { timeout: timeoutMs }, async () => {
        await world.create('up', { size: 3, version: versionOf('3.5-built') });
        const writer = await world.writer('up');
        const { status } = await world.change('up', { version: versionOf('3.6') });
        expect(status?.members?.map(({ version }) => version)).toEqual(Array(3).fill(versionOf('3.6').slice(1)));
        expect(await writer.lost()).toEqual([]);
        await world.clusters.patch('up', { spec: { version: versionOf('3.5-built') } });
        const refused = await world.until(
          'up',
          ({ status: now }) => findCondition(now?.conditions, 'Degraded')?.reason === 'UpgradeBlocked',
          'the downgrade is refused',
        );
        expect(refused.status?.readyReplicas).toBe(3);
        await world.clusters.delete('up');
        await expect.poll(async () => (await world.clusters.list()).items).toEqual([]);
      });
    });

    describe.skipIf(skipWithoutRelease('3.4'))('etcd 3.4 without TLS', () => {
      it('is created with one member and scaled to three', { timeout: timeoutMs }, async () => {
        const security = { tls: { enabled: false } };
        await world.create('old', { size: 1, version: versionOf('3.4'), security });
        const writer = await world.writer('old');
        const { status } = await world.change('old', { size: 3 });
        expect(status).toMatchObject({ replicas: 3, readyReplicas: 3 });
        expect(await writer.lost()).toEqual([]);
      });
    });
  });
}

function versionOf(release: EtcdRelease): string {
  const found = etcdBinaries(release);
  return found.directory === undefined ? 'v3.5.0' : `v${found.version}`;
}

function restartsOf({ status }: Awaited<ReturnType<World['pods']>>[number]): number {
  return status?.containerStatuses?.[0]?.restartCount ?? 0;
}
