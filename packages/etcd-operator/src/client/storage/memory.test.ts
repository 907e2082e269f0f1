/** Goal: memory does not depend on the size of an object. Method: objects of 200 MB, and the memory in use meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@ecsm/runtime';
import { usedBytes } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { BackupStorageClient } from './contract.ts';
import { openStorage } from './open.ts';
import { S3Server, skipWithoutS3 } from './s3/s3-server.kit.ts';
import { pattern } from './suite.kit.ts';

const mebibyte = 1024 * 1024;
const sizeBytes = 200 * mebibyte;
/** Two parts of 8 MiB, and what is in buffers of sockets. */
const growthBytesMax = 50 * mebibyte;
const measureEvery = 64;
const ports = { clock: systemClock, random: systemRandom };

/** Puts and gets an object. Returns by how much the memory in use grew at most. */
async function growth(client: BackupStorageClient): Promise<number> {
  const chunk = pattern(256 * 1024);
  const beforeBytes = usedBytes();
  let peakBytes = 0;
  let chunks = 0;
  const measure = () => {
    if (chunks++ % measureEvery === 0) peakBytes = Math.max(peakBytes, usedBytes() - beforeBytes);
  };
  const body = async function* () {
    for (let sent = 0; sent < sizeBytes; sent += chunk.byteLength) {
      measure();
      yield chunk;
    }
  };
  expect(await client.put('large.db', body())).toMatchObject({ sizeBytes });
  let readBytes = 0;
  for await (const { byteLength } of (await client.get('large.db')).body) {
    readBytes += byteLength;
    measure();
  }
  expect(readBytes).toBe(sizeBytes);
  return peakBytes;
}

describe('an object of 200 MB', () => {
  it('does not need as much memory on a volume', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-volume-'));
    expect(await growth(openStorage({ type: 'Volume', directory }, ports))).toBeLessThan(growthBytesMax);
    rmSync(directory, { recursive: true, force: true });
  });

  it.skipIf(skipWithoutS3('rclone'))('does not need as much memory on an S3 server', async () => {
    const server = await S3Server.start('rclone');
    const client = openStorage(await server.bucket(), { ...ports, credentials: server.credentials });
    const peakBytes = await growth(client);
    client.close();
    await server.close();
    expect(peakBytes).toBeLessThan(growthBytesMax);
  });
});

describe('a destination', () => {
  it('of S3 needs credentials', () => {
    expect(() => openStorage({ type: 'S3', bucket: 'backups' }, ports)).toThrow('access key id');
  });
});
