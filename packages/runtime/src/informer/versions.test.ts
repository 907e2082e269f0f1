import { describe, expect, it } from 'vitest';
import type { Commit } from '../store/contract.ts';
import { Versions } from './versions.ts';

const put = (key: string, revision: number, created = revision): Commit => ({
  revision,
  changes: [{ type: 'put', key, value: new Uint8Array(0), created }],
});
const types = (versions: Versions, commit: Commit) => [...versions.observe(commit)].map(({ type }) => type);

describe('the versions that an informer knows', () => {
  it('report an event once, also if it is delivered again or late', () => {
    const versions = new Versions();
    expect(types(versions, put('k', 1))).toEqual(['added']);
    expect(types(versions, put('k', 3, 1))).toEqual(['updated']);
    expect(types(versions, put('k', 3, 1))).toEqual([]);
    expect(types(versions, put('k', 2, 1))).toEqual([]);
    expect(versions.revisionOf('k')).toBe(3);
  });

  it('ignore a late deletion of a key that has been written since', () => {
    const versions = new Versions();
    types(versions, put('k', 5));
    expect(types(versions, { revision: 4, changes: [{ type: 'delete', key: 'k' }] })).toEqual([]);
    expect(versions.revisionOf('k')).toBe(5);
  });
});
