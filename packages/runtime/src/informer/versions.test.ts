import { describe, expect, it } from 'vitest';
import type { VersionBatch } from '../registry/contract.ts';
import { Versions } from './versions.ts';

const put = (key: string, version: number, created = version): VersionBatch => ({
  resourceVersion: String(version),
  changes: [{ type: 'put', key, identity: String(created) }],
});
const isNewer = (version: string, than: string) => Number(version) > Number(than);
const types = (versions: Versions, batch: VersionBatch) => [...versions.observe(batch)].map(({ type }) => type);

describe('Versions', () => {
  it('report an event once, also if it is delivered again or late', () => {
    const versions = new Versions(isNewer);
    expect(types(versions, put('k', 1))).toEqual(['added']);
    expect(types(versions, put('k', 3, 1))).toEqual(['updated']);
    expect(types(versions, put('k', 3, 1))).toEqual([]);
    expect(types(versions, put('k', 2, 1))).toEqual([]);
    expect(versions.versionOf('k')).toBe('3');
  });

  it('ignore a late deletion of a key that has been written since', () => {
    const versions = new Versions(isNewer);
    types(versions, put('k', 5));
    expect(types(versions, { resourceVersion: '4', changes: [{ type: 'delete', key: 'k' }] })).toEqual([]);
    expect(versions.versionOf('k')).toBe('5');
  });
});
