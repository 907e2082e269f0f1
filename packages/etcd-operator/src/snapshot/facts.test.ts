/** Facts of snapshots of a real server with random data, compared with etcdutl and with the server itself. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipWithoutRelease } from '../client/etcd/binaries.kit.ts';
import { connectGateway } from '../client/etcd/gateway.ts';
import { RealEtcd } from '../client/etcd/real.kit.ts';
import { eventually } from '../client/etcd/suite.kit.ts';
import { LeafSums } from './bolt/leaf-sums.ts';
import { readMeta } from './bolt/page.ts';
import { isSnapshotError } from './error.ts';
import { etcdctlOf, etcdTool, statusOf } from './etcd-tools.kit.ts';
import { readFacts } from './facts.ts';
import { verifySnapshot } from './verify.ts';

describe.skipIf(skipWithoutRelease('3.5'))('a snapshot of a real member', () => {
  let servers: RealEtcd;
  const client = connectGateway(systemClock)(undefined);
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-snapshot-'));
  const path = join(directory, 'snapshot.db');
  let etcdctl: ReturnType<typeof etcdctlOf>;
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };

  beforeAll(async () => {
    servers = new RealEtcd({ release: '3.5', tls: false });
    servers.start(0, { state: 'new', slots: [0] });
    etcdctl = etcdctlOf(servers.endpoint(0));
    await eventually(() => client.status(servers.endpoint(0), { timeoutMs: 1_000 }));
  });
  afterAll(async () => {
    client.close();
    await servers.close();
    rmSync(directory, { recursive: true });
  });

  /** In pieces of any size. */
  const sumsOf = (bytes: Buffer) => {
    const sums = new LeafSums(bytes.byteLength);
    for (let at = 0; at < bytes.byteLength; ) {
      const piece = bytes.subarray(at, at + 1 + random(random(4) === 0 ? 100 : 20_000));
      sums.push(piece);
      at += piece.byteLength;
    }
    return sums;
  };
  const save = async () => {
    const { chunks } = await client.snapshot(servers.endpoint(0));
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(Buffer.from(chunk));
    writeFileSync(path, Buffer.concat(parts));
  };
  const compare = async () => {
    await save();
    const { facts } = await verifySnapshot(path);
    expect(facts).toMatchObject(await statusOf(path));
    expect(await readFacts(path, { sums: sumsOf(readFileSync(path)) })).toEqual(facts);
    const [count] =
      (await etcdctl('get', '', '--prefix', '--count-only', '-w', 'fields')).match(/(?<="Count" : )\d+/) ?? [];
    expect(facts.keys).toBe(Number(count));
    const { hash, compactRevision } = await client.hashKV(servers.endpoint(0), BigInt(facts.revision));
    // At the revision of a compaction the server returns the hash that it had kept of it.
    if (facts.compactRevision !== facts.revision) expect(facts.compactRevision).toBe(String(compactRevision));
    if (facts.compactRevision === String(compactRevision)) expect(facts.hashKV).toBe(hash);
    return facts;
  };
  const change = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const key = `key-${random(60)}`;
      const dice = random(10);
      if (dice < 6) await client.put(servers.endpoint(0), key, 'v'.repeat(random(3_000)));
      else if (dice < 8) await etcdctl('del', key);
      else if (dice < 9) await etcdctl('del', `key-${random(6)}`, '--prefix');
      else await client.put(servers.endpoint(0), `large-${random(3)}`, 'w'.repeat(200_000 + random(400_000)));
    }
  };

  it('has the facts of etcdutl and the hash of the server, before and after compactions', async () => {
    await compare();
    await change(60);
    expect(await compare()).toMatchObject({ compactRevision: '0', isAuthEnabled: false, storageVersion: '' });
    for (let round = 0; round < 6; round++) {
      const { revision } = await client.status(servers.endpoint(0));
      // Also at a revision that is a deletion.
      if (round % 2 === 1) await etcdctl('del', `key-${random(6)}`, '--prefix');
      await client.compact(servers.endpoint(0), revision - BigInt(round % 2 === 0 ? random(20) : 0));
      await compare();
      await change(15);
      await compare();
    }
    const lease = /lease (\S+) granted/.exec(await etcdctl('lease', 'grant', '600'))?.[1] ?? '';
    await etcdctl('put', 'with-lease', 'a', `--lease=${lease}`);
    await client.defragment(servers.endpoint(0));
    await compare();
  });

  it('says whether users are required', async () => {
    await etcdctl('user', 'add', 'root:secret');
    await etcdctl('auth', 'enable');
    await etcdctl('--user=root:secret', 'snapshot', 'save', join(directory, 'auth.db'));
    const facts = await readFacts(join(directory, 'auth.db'));
    expect(facts).toMatchObject({ ...(await statusOf(join(directory, 'auth.db'))), isAuthEnabled: true });
    await etcdctl('--user=root:secret', 'auth', 'disable');
  });

  it('has as many keys after it was restored with raised revisions', async () => {
    await change(20);
    await save();
    const { keys, revision } = await readFacts(path);
    const data = join(directory, 'raised');
    const flags = ['--bump-revision=1000', '--mark-compacted', `--data-dir=${data}`];
    await etcdTool('etcdutl', 'snapshot', 'restore', path, ...flags);
    const file = readFileSync(join(data, 'member', 'snap', 'db'));
    // A member allocates more than it uses.
    const [meta] = [0, 4096]
      .map((at) => readMeta(file.subarray(at)))
      .sort((one, other) => (other?.transaction ?? 0) - (one?.transaction ?? 0));
    const bytes = file.subarray(0, (meta?.pages ?? 0) * 4096);
    const raised = join(directory, 'raised.db');
    writeFileSync(raised, Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]));
    expect(await readFacts(raised)).toMatchObject({ keys, revision: String(BigInt(revision) + 1_000n) });
  });

  it('is refused if it is cut, empty, without checksum, or something else', async () => {
    await save();
    const size = readFileSync(path).byteLength;
    const cut = join(directory, 'cut.db');
    for (const [sizeBytes, message] of [
      [0, 'is cut'],
      [32, 'is cut'],
      [size - 1, 'is cut'],
      [size - 32, 'has no checksum at its end'],
      [size - 4096, 'do not have the checksum at its end'],
    ] as const) {
      copyFileSync(path, cut);
      truncateSync(cut, sizeBytes);
      await expect(verifySnapshot(cut)).rejects.toThrow(message);
    }
    copyFileSync(path, cut);
    truncateSync(cut, size - 4096);
    await expect(readFacts(cut)).rejects.toThrow('is cut');
    // A page that was written to the place of another.
    const bytes = readFileSync(path);
    for (let at = 2 * 4096; at + 4096 < bytes.byteLength; at += 4096) bytes.writeUInt32LE(at / 4096 + 1, at);
    writeFileSync(cut, bytes);
    await expect(readFacts(cut)).rejects.toThrow('has the number');
    const other = Buffer.alloc(8192, 'text');
    writeFileSync(cut, Buffer.concat([other, createHash('sha256').update(other).digest()]));
    await expect(verifySnapshot(cut)).rejects.toThrow('not a snapshot of etcd');
  });

  it('never hangs or crashes if bytes are changed and the checksum is right', async () => {
    await save();
    const whole = readFileSync(path).subarray(0, -32);
    const damagedPath = join(directory, 'damaged.db');
    const pages = Array.from({ length: whole.byteLength / 4096 }, (_, index) => index * 4096).filter(
      (at) => whole.readUInt32LE(at) === at / 4096 && [1, 2, 4].includes(whole.readUInt16LE(at + 8)),
    );
    let refused = 0;
    for (let count = 0; count < 150; count++) {
      const bytes = Buffer.from(whole);
      // Mostly in the heads of pages, where numbers of pages, counts and sizes are.
      const page = pages[random(pages.length)] ?? 0;
      const at = page + (count % 3 === 0 ? random(4096) : random(64));
      if (count % 2 === 0) bytes[at] = random(256);
      else bytes.writeUInt32LE(count % 4 === 1 ? 0xffffffff : random(1_000), Math.min(at, bytes.byteLength - 4));
      if (count % 10 === 0) whole.copy(bytes, page, 4096 * 3, 4096 * 4);
      writeFileSync(damagedPath, Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]));
      const sums = sumsOf(bytes);
      try {
        const { facts } = await verifySnapshot(damagedPath);
        expect(await readFacts(damagedPath, { sums })).toEqual(facts);
      } catch (error) {
        if (!isSnapshotError(error)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
    const flipped = Buffer.from(readFileSync(path));
    flipped[5_000] = (flipped[5_000] ?? 0) ^ 1;
    writeFileSync(damagedPath, flipped);
    await expect(verifySnapshot(damagedPath)).rejects.toThrow('do not have the checksum at its end');
  });
});
