import { describe, expect, it } from 'vitest';
import { sampleManifest } from './manifest.kit.ts';
import { formatManifest, manifestBytesMax, parseManifest } from './manifest.ts';
import { baseKeyIn, dataKeyOf, folderOf, formOf, manifestKeyOf } from './names.ts';
import { expiredBackups } from './retention.ts';

describe('a manifest', () => {
  it('is read as it was written', () => {
    const encryption = { algorithm: 'AES-256-GCM', keyId: '0011aabb' } as const;
    for (const manifest of [sampleManifest(), sampleManifest({ compression: 'gzip', encryption })]) {
      expect(parseManifest(formatManifest(manifest), 'm')).toEqual(manifest);
    }
  });

  it.each([
    ['it is not JSON', '{'],
    ['it is not an object', '[]'],
    ['its format is "other/v1"', JSON.stringify({ format: 'other/v1' })],
    ['format is not a text', '{}'],
    ['it has more than', ' '.repeat(manifestBytesMax + 1)],
    ['source is not an object', JSON.stringify({ ...sampleManifest(), source: 1 })],
    ['createdAt is "yesterday"', JSON.stringify({ ...sampleManifest(), createdAt: 'yesterday' })],
    ['sha256 is "x"', JSON.stringify({ ...sampleManifest(), stored: { sizeBytes: 1, sha256: 'x' } })],
    ['sizeBytes is not a number', JSON.stringify({ ...sampleManifest(), stored: { sizeBytes: -1 } })],
    ['compression is "zip"', JSON.stringify({ ...sampleManifest(), compression: 'zip' })],
    ['algorithm is "rot13"', JSON.stringify({ ...sampleManifest(), encryption: { algorithm: 'rot13' } })],
  ])('is refused if %s', (problem, text) => {
    expect(() => parseManifest(Buffer.from(text), 'a/b.manifest.json')).toThrow(
      `a/b.manifest.json is not the manifest of a backup: ${problem}`,
    );
  });

  it('of a newer release is refused as such', () => {
    const text = JSON.stringify({ ...sampleManifest(), format: 'etcd-operator/backup/v2' });
    expect(() => parseManifest(Buffer.from(text), 'm')).toThrow('use the release that made it, or a newer one');
  });
});

describe('the keys of a backup', () => {
  it('tell its form, and lead from one to the other', () => {
    const base = 'ns/main/20261117T074031Z-ab12cd34';
    expect(dataKeyOf(base, 'none', false)).toBe('ns/main/20261117T074031Z-ab12cd34.db');
    const key = dataKeyOf(base, 'gzip', true);
    expect(key).toBe(`${base}.db.gz.enc`);
    expect(formOf(key)).toEqual({ compression: 'gzip', isEncrypted: true });
    expect(formOf('snapshot.db')).toEqual({ compression: 'none', isEncrypted: false });
    expect([baseKeyIn(key), baseKeyIn(manifestKeyOf(base)), baseKeyIn('notes.txt')]).toEqual([base, base, undefined]);
    expect(folderOf(key)).toBe('ns/main/');
  });
});

describe('retention', () => {
  const dayMs = 86_400_000;
  const nowMs = Date.parse('2026-11-17T12:00:00Z');
  const backup = (daysAgo: number, scheduleUid = 'schedule-uid') => ({
    baseKey: `b-${daysAgo}`,
    manifest: sampleManifest({
      createdAt: `${new Date(nowMs - daysAgo * dayMs).toISOString().slice(0, 19)}Z`,
      source: { ...sampleManifest().source, scheduleUid },
    }),
  });
  const expired = (days: readonly number[], policy: { maxBackups?: number; maxAgeMs?: number }) =>
    expiredBackups(
      days.map((day) => backup(day)),
      { ...policy, scheduleUid: 'schedule-uid' },
      nowMs,
    ).map(({ baseKey }) => baseKey);

  it('removes by number and by age, the oldest first', () => {
    expect(expired([1, 3, 2, 5, 4], { maxBackups: 3 })).toEqual(['b-5', 'b-4']);
    expect(expired([1, 3, 2, 5, 4], { maxAgeMs: 3 * dayMs })).toEqual(['b-5', 'b-4']);
    expect(expired([1, 3, 2, 5, 4], { maxAgeMs: 4 * dayMs, maxBackups: 2 })).toEqual(['b-5', 'b-4', 'b-3']);
    expect(expired([1, 2], {})).toEqual([]);
  });

  it('keeps the newest one, however old it is and however few are to be kept', () => {
    expect(expired([9, 8], { maxAgeMs: dayMs })).toEqual(['b-9']);
    expect(expired([9], { maxAgeMs: 1, maxBackups: 1 })).toEqual([]);
    expect(expired([9, 8], { maxBackups: 0 })).toEqual([]);
    expect(expired([9, 8], { maxBackups: -1, maxAgeMs: -1 })).toEqual([]);
  });

  it('never removes what is not of the schedule', () => {
    const others = [backup(8, 'other'), backup(9, ''), backup(1)];
    expect(expiredBackups(others, { maxBackups: 1, maxAgeMs: 1, scheduleUid: 'schedule-uid' }, nowMs)).toEqual([]);
    expect(expiredBackups(others, { maxBackups: 1, maxAgeMs: 1, scheduleUid: '' }, nowMs)).toEqual([]);
  });
});
