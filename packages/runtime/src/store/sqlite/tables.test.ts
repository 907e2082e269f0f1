import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Write } from '../contract.ts';
import { SqliteStore } from './store.ts';

it('a list has every key, also if it is read in several steps', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-tables-'));
  const store = await SqliteStore.open({ directory });
  try {
    const keys = Array.from({ length: 2_100 }, (_, n) => `k/${String(n).padStart(4, '0')}`);
    const value = new Uint8Array([1]);
    for (let start = 0; start < keys.length; start += 100) {
      await store.commit(keys.slice(start, start + 100).map((key): Write => ({ type: 'put', key, value })));
    }
    expect((await store.versions('k/')).keys).toEqual(keys);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
