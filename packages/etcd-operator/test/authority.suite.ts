/**
 * Goal: the Secret of the authority of a running cluster is deleted, and neither clients nor data notice. Method: real etcd
 * processes, and clients that write all the time with the certificate that they had before; the same suite runs on our API
 * server and on Kubernetes.
 */
import { Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { wellKnown } from '../src/index.ts';
import { World, type WorldOptions } from './world.kit.ts';
import type { Writer } from './writer.kit.ts';

const timeoutMs = 600_000;
const ca = wellKnown.names.caSecret('main');

export function authority(name: string, options: () => Promise<WorldOptions>): void {
  describe.skipIf(skipWithoutRelease('3.5'))(`the Secret of the authority ${name}`, () => {
    let world: World;
    let writer: Writer;
    let claims: readonly string[];
    let clusterID: string | undefined;
    /** Reasons of the condition Available that the cluster has had. */
    const reasons = new Set<string>();

    beforeAll(async () => {
      world = await World.start(await options());
    }, timeoutMs);
    afterAll(() => world?.stop(), timeoutMs);

    const secret = async (name: string) => {
      const found = await world.registry.resource(Secret).get(name);
      const { uid, finalizers } = found.metadata;
      return { uid, finalizers, data: Secret.fieldsOf(found).data ?? {} };
    };
    const claimUids = async () =>
      (await world.registry.resource(PersistentVolumeClaim).list()).items.map(({ metadata }) => metadata.uid).sort();
    const conditionOf = (status: Awaited<ReturnType<World['settled']>>['status'], type: string) => {
      reasons.add(findCondition(status?.conditions, 'Available')?.reason ?? '');
      return findCondition(status?.conditions, type);
    };
    const certificatesAre = (reason: string) =>
      world.until('main', ({ status }) => conditionOf(status, 'CertificatesReady')?.reason === reason, reason);
    const settled = async () => {
      const isReady = ({ status }: Awaited<ReturnType<World['settled']>>) =>
        conditionOf(status, 'Ready')?.status === 'True';
      await world.until('main', isReady, 'it is ready');
      await world.settled('main');
    };
    const goesOn = async (client: Writer) => {
      const before = client.acknowledged;
      await expect.poll(() => client.acknowledged).toBeGreaterThan(before + 10);
    };

    it('cannot be deleted with its key while the cluster exists', { timeout: timeoutMs }, async () => {
      const found = etcdBinaries('3.5');
      const version = `v${found.directory === undefined ? '' : found.version}`;
      const storage = { retentionPolicy: { whenDeleted: 'Delete' } } as const;
      await world.create('main', { size: 3, version, storage });
      writer = await world.writer('main');
      claims = await claimUids();
      clusterID = (await world.clusters.get('main')).status?.clusterID;
      expect(clusterID).toMatch(/^[0-9a-f]+$/u);
      const before = await secret(ca);
      await world.registry.resource(Secret).delete(ca);
      await expect
        .poll(async () => (await secret(ca).catch(() => before)).uid, { timeout: 150_000 })
        .not.toBe(before.uid);
      await settled();
      const { data, finalizers } = await secret(ca);
      expect(data).toEqual(before.data);
      expect(finalizers).toEqual([wellKnown.FINALIZER]);
      await expect.poll(() => writer.acknowledged).toBeGreaterThan(10);
    });

    it('is lost in spite of that, and members trust a new authority beside the lost one', {
      timeout: timeoutMs,
    }, async () => {
      const before = await secret('main-peer-tls');
      const pods = (await world.pods('main')).map(({ metadata }) => metadata.uid);
      const secrets = world.registry.resource(Secret);
      // An operator that runs would add the finalizer again.
      await world.stopOperator();
      await secrets.patch(ca, { metadata: { finalizers: null } });
      await secrets.delete(ca);
      world.startOperator();
      const annotations = { [wellKnown.annotations.recoverQuorumFrom]: 'auto' };
      await world.clusters.patch('main', { metadata: { annotations } });
      await certificatesAre('AuthorityLost');
      const replaced = async () =>
        (await world.pods('main')).filter(({ metadata }) => !pods.includes(metadata.uid)).length;
      await expect.poll(replaced, { timeout: 300_000 }).toBe(3);
      await settled();
      const after = await secret('main-peer-tls');
      expect(after.data['tls.crt']).toBe(before.data['tls.crt']);
      expect(after.data['ca.crt']).not.toBe(before.data['ca.crt']);
      expect((await secret(ca)).finalizers).toEqual([wellKnown.FINALIZER]);
      const { status } = await world.clusters.get('main');
      expect(conditionOf(status, 'CertificatesReady')).toMatchObject({ status: 'False', reason: 'AuthorityLost' });
      await goesOn(writer);
      expect(await claimUids()).toEqual(claims);
    });

    it('has a new authority, and clients with the former certificate are served until it is retired', {
      timeout: timeoutMs,
    }, async () => {
      // A client reads the files of its Secret again: the authorities are both, and its certificate is the former one.
      const refreshed = await world.writer('main', 'refreshed');
      await world.stopOperator();
      world.startOperator({ deliveryMs: 5_000 });
      await certificatesAre('CertificateRotating');
      await goesOn(refreshed);
      await certificatesAre('CertificatesValid');
      await settled();
      expect(await claimUids()).toEqual(claims);
      expect([...reasons]).not.toContain('QuorumLost');
      const { status } = await world.clusters.get('main');
      expect(status).toMatchObject({ phase: 'Running', readyReplicas: 3, clusterID });
      expect(status?.recovery).toBeUndefined();
      const newest = await world.connect('main');
      for (const client of [writer, refreshed]) expect(await client.lost(newest)).toEqual([]);
      newest.close();
    });

    it('goes with the cluster', { timeout: timeoutMs }, async () => {
      await world.clusters.delete('main');
      await expect.poll(async () => (await world.clusters.list()).items, { timeout: 150_000 }).toEqual([]);
      await expect.poll(async () => (await world.registry.resource(Secret).list()).items).toEqual([]);
    });
  });
}
