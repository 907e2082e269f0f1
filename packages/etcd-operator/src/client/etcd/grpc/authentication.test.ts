/** Goal: with authentication enabled the client works as before. Method: a real member, with the client's certificate only. */
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipWithoutRelease } from '../binaries.kit.ts';
import type { EtcdClient } from '../contract.ts';
import { connectGateway } from '../gateway.ts';
import { RealEtcd } from '../real.kit.ts';
import { eventually, outcome } from '../suite.kit.ts';

describe.skipIf(skipWithoutRelease('3.5'))('a client of a cluster with authentication', () => {
  let servers: RealEtcd;
  let client: EtcdClient;
  const at = () => servers.endpoint(0);
  const asRoot = (...words: readonly string[]) => servers.control(0, '--user=root:secret', ...words);

  beforeAll(async () => {
    servers = new RealEtcd({ release: '3.5', tls: true });
    servers.start(0, { state: 'new', slots: [0] });
    client = connectGateway(systemClock)(servers.credentials);
    await eventually(() => client.status(at()));
    await client.put(at(), 'before', 'grün');
    servers.control(0, 'user', 'add', 'root:secret');
    servers.control(0, 'user', 'grant-role', 'root', 'root');
    servers.control(0, 'auth', 'enable');
  });
  afterAll(async () => {
    client.close();
    await servers.close();
  });

  it('is told what to do while the name in its certificate is not a user with the role root', async () => {
    const wanted = { code: 'Denied', message: expect.stringContaining('has to be a user of etcd with the role root') };
    await expect(client.get(at(), 'before')).rejects.toMatchObject(wanted);
    await expect(client.hashKV(at(), 0n)).rejects.toMatchObject(wanted);
    asRoot('user', 'add', '--no-password', 'operator');
    await expect(client.get(at(), 'before')).rejects.toMatchObject(wanted);
    expect(await outcome(client.snapshot(at()))).toBe('Denied');
  });

  it('makes every call', async () => {
    asRoot('user', 'grant-role', 'operator', 'root');
    const status = await client.status(at());
    expect(status).toMatchObject({ version: '3.5.16', leaderId: status.memberId, isLearner: false });
    expect(status.dbSizeBytes).toBeGreaterThan(status.dbSizeInUseBytes - 1);
    expect(await client.get(at(), 'before')).toMatchObject({ value: 'grün' });
    expect(await client.get(at(), 'absent', { serializable: true })).toBeUndefined();
    const revision = await client.put(at(), 'after', 'blue');
    expect((await client.status(at())).revision).toBe(revision);
    expect([await client.count(at(), revision), await client.count(at(), revision - 1n)]).toEqual([2, 1]);
    expect(await client.hashKV(at(), revision)).toMatchObject({ compactRevision: 0n });
    await client.compact(at(), revision);
    await client.compact(at(), revision);
    expect(await client.alarms(at())).toEqual([]);
    await client.disarm(at(), { memberId: status.memberId, type: 'NOSPACE' });
    await client.defragment(at());
    const [member] = (await client.memberList(at())).members;
    expect(member).toMatchObject({ id: status.memberId, peerURLs: [servers.peerURL(0)], isLearner: false });
    const added = await eventually(() => client.addLearner(at(), servers.peerURL(1)));
    expect(added).toMatchObject({ clusterId: status.clusterId, members: [{}, {}] });
    expect(await outcome(client.promote(at(), added.memberId))).toBe('LearnerNotReady');
    expect(await outcome(client.moveLeader(at(), added.memberId))).toBe('Other');
    await client.remove(at(), added.memberId);
    expect((await client.memberList(at())).members).toHaveLength(1);
    const { sizeBytes, chunks } = await client.snapshot(at());
    let readBytes = 0;
    for await (const { byteLength } of chunks) readBytes += byteLength;
    expect(readBytes).toBe(sizeBytes);
  });

  it('reports a member that is frozen, a call that is aborted, and a client that is closed', async () => {
    const other = connectGateway(systemClock)(servers.credentials);
    await other.status(at());
    servers.freeze(0, true);
    expect(await outcome(other.status(at(), { timeoutMs: 100 }))).toBe('Timeout');
    const abort = new AbortController();
    const aborted = outcome(other.status(at(), { signal: abort.signal }));
    abort.abort();
    expect(await aborted).toBe('Unavailable');
    const closed = outcome(other.status(at()));
    other.close();
    expect(await closed).toBe('Unavailable');
    servers.freeze(0, false);
    expect(await outcome(other.status(at()))).toBe('Unavailable');
  });
});
