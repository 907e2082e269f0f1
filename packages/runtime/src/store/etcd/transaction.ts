/** Converts a commit to an etcd transaction: if all comparisons hold it writes, else it reads the compared keys. */
import type { CommitOutcome, Revision, Write } from '../contract.ts';
import { modRevision, type TransactionAnswer } from './answers.ts';
import { malformed } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Keyspace } from './keyspace.ts';

interface Comparison {
  readonly key: string;
  readonly expected: Revision;
}

export function transactionOf(writes: readonly Write[], keyspace: Keyspace): object {
  const comparisons = comparisonsOf(writes);
  return {
    compare: comparisons.map(({ key, expected }) => ({
      key: keyspace.encode(key),
      target: 'MOD',
      result: 'EQUAL',
      mod_revision: String(expected),
    })),
    success: writes.flatMap((write) => operationOf(write, keyspace)),
    failure: comparisons.map(({ key }) => ({ request_range: { key: keyspace.encode(key), keys_only: true } })),
  };
}

/** Returns the first comparison that failed, with the revision from the same transaction. */
export function outcomeOf(writes: readonly Write[], answer: TransactionAnswer): CommitOutcome {
  if (answer.succeeded) return { committed: true, revision: answer.revision };
  const comparisons = comparisonsOf(writes);
  if (answer.ranges.length !== comparisons.length) throw malformed('a failed transaction without the keys it compared');
  const actuals = answer.ranges.map(revisionOf);
  const index = comparisons.findIndex(({ expected }, position) => actuals[position] !== expected);
  const failed = comparisons[index];
  const actual = actuals[index];
  if (failed === undefined || actual === undefined) throw malformed('a transaction that failed without a reason');
  return { committed: false, key: failed.key, expected: failed.expected, actual };
}

/** 0 if the key is absent. */
export function revisionOf(keyValue: JsonObject | undefined): Revision {
  return keyValue === undefined ? 0 : modRevision(keyValue);
}

function comparisonsOf(writes: readonly Write[]): readonly Comparison[] {
  return writes.flatMap(({ key, expected }) => (expected === undefined ? [] : [{ key, expected }]));
}

function operationOf(write: Write, keyspace: Keyspace): readonly object[] {
  switch (write.type) {
    case 'put':
      return [{ request_put: { key: keyspace.encode(write.key), value: bytesToBase64(write.value) } }];
    case 'delete':
      return [{ request_delete_range: { key: keyspace.encode(write.key) } }];
    case 'check':
      return [];
  }
}

export function bytesToBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
