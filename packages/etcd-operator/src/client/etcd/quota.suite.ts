/** What a member does when its database reaches its quota: part of etcd.suite.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdHarness, eventually, outcome, type SuiteCluster } from './suite.kit.ts';

const quotaBytes = 300 * 1024;

export function describeQuota(harness: EtcdHarness): void {
  describe(`one member with a small quota: ${harness.name}`, () => {
    let cluster: SuiteCluster;
    beforeAll(async () => {
      cluster = harness.create({ quotaBytes });
      cluster.start(0, { state: 'new', slots: [0] });
      await eventually(() => cluster.client.get(cluster.endpoint(0), 'any', { timeoutMs: 1_000 }));
    });
    afterAll(() => cluster.close());

    it('raises NOSPACE, until it is compacted, defragmented and disarmed', async () => {
      const { client } = cluster;
      const endpoint = cluster.endpoint(0);
      const value = 'x'.repeat(20_000);
      const fill = async () => {
        for (let n = 0; n < 100; n++) await client.put(endpoint, 'key', value);
      };
      expect(await outcome(fill())).toBe('NoSpace');
      const { memberId } = await client.status(endpoint);
      await expect.poll(() => client.alarms(endpoint)).toEqual([{ memberId, type: 'NOSPACE' }]);
      expect(await outcome(client.put(endpoint, 'small', 'a'))).toBe('NoSpace');
      expect(await client.get(endpoint, 'key')).toMatchObject({ value });

      const before = await client.status(endpoint);
      // Two calls: one that finds the revision compacted also returns when the history is deleted.
      await Promise.all([client.compact(endpoint, before.revision), client.compact(endpoint, before.revision)]);
      await client.defragment(endpoint);
      expect((await client.status(endpoint)).dbSizeBytes).toBeLessThan(quotaBytes / 2);
      expect(await outcome(client.put(endpoint, 'small', 'a'))).toBe('NoSpace');
      await client.disarm(endpoint, { memberId, type: 'NOSPACE' });
      expect(await client.alarms(endpoint)).toEqual([]);
      await client.put(endpoint, 'small', 'a');
    });
  });
}
