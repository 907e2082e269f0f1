import { describe, expect, it } from 'vitest';
import type { EtcdClient, EtcdEndpoint, EtcdStatus } from '../client/etcd/contract.ts';
import { EtcdError } from '../client/etcd/error.ts';
import type { SnapshotFacts } from '../snapshot/facts.ts';
import { hashAt, isHashEqual } from './member.ts';

const endpoint: EtcdEndpoint = { host: 'a', address: '127.0.0.1', port: 1 };
const found = { hash: 'abc', compactRevision: 3n };

function hashOf(version: string, answer: () => Promise<typeof found>) {
  const client = { hashKV: answer } as unknown as EtcdClient;
  return hashAt(client, endpoint, { version } as EtcdStatus, '7', new AbortController().signal);
}

describe('the hash of a member', () => {
  it('is known since 3.5', async () => {
    expect(await hashOf('3.5.16', async () => found)).toBe(found);
    expect(await hashOf('3.4.30', async () => found)).toBeUndefined();
  });

  it('is unknown if the member refuses to tell, and other errors are thrown', async () => {
    expect(await hashOf('3.6.0', () => Promise.reject(new EtcdError('Other', 'compacted')))).toBeUndefined();
    await expect(hashOf('3.6.0', () => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
  });

  it('is compared if the member and the snapshot are compacted equally', () => {
    const facts = { hashKV: 'abc', compactRevision: '3' } as SnapshotFacts;
    expect(isHashEqual(facts, found, endpoint)).toBe(true);
    expect(isHashEqual({ ...facts, compactRevision: '2' }, found, endpoint)).toBe(false);
    expect(isHashEqual(facts, undefined, endpoint)).toBe(false);
    expect(() => isHashEqual({ ...facts, hashKV: 'abd' }, found, endpoint)).toThrow('one of them is damaged');
  });
});
