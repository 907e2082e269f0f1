/** Shared by the tests of transfers: filled stores, backups as bytes, and stores that fail. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { ApiError, isApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { keyOf } from '../registry/keys.ts';
import { type Entry, limits, type Store, type Write } from '../store/contract.ts';
import { type BackupOptions, backup } from './backup.ts';
import { LineWriter } from './format.ts';

export const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
export const widgetKey = (name: string | number) => keyOf(Widget, 'default', String(name));

/** Objects of known and unknown kinds, changed and deleted ones, everything that JSON can say, a lease and a fence. */
export async function furnish(store: Store): Promise<void> {
  const registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
  const crate = await registry
    .resource(Crate)
    .create({ metadata: { name: 'crate' }, spec: { label: '箱子 \u2028 "\\' } });
  const owner = { apiVersion: crate.apiVersion, kind: crate.kind, name: 'crate', uid: crate.metadata.uid };
  const widgets = registry.resource(Widget);
  for (let number = 0; number < 12; number++) {
    const metadata = { name: `w${number}`, ownerReferences: [owner], labels: { number: String(number) } };
    await widgets.create({ metadata, spec: { size: number, options: { __proto__key: '\u0000\u007f', 1: 'one' } } });
  }
  await widgets.patch('w3', { spec: { size: 33 } });
  await widgets.patch('w4', { metadata: { finalizers: ['example.io/wait'] } });
  await widgets.delete('w4');
  await widgets.delete('w5');
  const others: readonly (readonly [string, string])[] = [
    ['unknown.io/v7/things/default/odd', '{"kind":"Thing","deep":[[[{"a":[]}]]],"number":1e-7,"half":"\\ud800"}'],
    ['unknown.io/v7/things/default/spaced', '{ "b": 1.0,\n "1": 2 }'],
    ['unknown.io/v7/things/default/proto', '{"__proto__":{"x":1},"constructor":null}'],
    ['ecsm.sh/v1/operatoridentities/default/registry', '{"spec":{"id":"0000-identity"}}'],
    ['coordination.k8s.io/v1/leases/default/operator', '{"spec":{"holderIdentity":"somebody"}}'],
  ];
  for (const [key, text] of others) await put(store, key, Buffer.from(text));
  await registry.raiseFence('operator');
}

/** Records of a furnished store that a transfer leaves out. */
export const leadershipRecords = 2;

/** Values that only a file store refuses. */
export async function addOddities(store: Store): Promise<void> {
  await put(
    store,
    'unknown.io/v7/things/default/binary',
    Uint8Array.from({ length: 256 }, (_, index) => index),
  );
  await put(store, 'unknown.io/v7/things/default/empty', new Uint8Array(0));
  await put(store, 'unknown.io/v7/things/default/marked', Buffer.from('\ufeff{}'));
}

export async function put(store: Store, key: string, value: Uint8Array): Promise<void> {
  await store.commit([{ type: 'put', key, value }]);
}

/** Many small objects, quickly. */
export async function fillWith(store: Store, count: number, valueBytes = 40): Promise<void> {
  for (let start = 0; start < count; start += limits.commitWritesMax) {
    const writes: Write[] = [];
    for (let number = start; number < Math.min(start + limits.commitWritesMax, count); number++) {
      const value = bytes({ number, text: 'x'.repeat(valueBytes) });
      writes.push({ type: 'put', key: widgetKey(String(number).padStart(6, '0')), value });
    }
    await store.commit(writes);
  }
}

export async function entriesOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = [];
  let page = await store.list('');
  entries.push(...page.entries);
  while (page.next !== undefined) {
    page = await store.list('', { at: page.revision, after: page.next });
    entries.push(...page.entries);
  }
  return entries;
}

/** What a store holds, in a shape that is easy to compare, to the byte. */
export async function contentOf(store: Store): Promise<(readonly [key: string, hex: string])[]> {
  return (await entriesOf(store)).map(({ key, value }) => [key, Buffer.from(value).toString('hex')] as const);
}

export async function backupOf(store: Store, options?: BackupOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of backup(store, options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function* chunked(whole: Uint8Array, chunkBytes = 1_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < whole.byteLength; start += chunkBytes) yield whole.subarray(start, start + chunkBytes);
}

/** A backup of lines that a test makes up, with sums that are right. */
export function sealed(...lines: readonly object[]): Buffer {
  const writer = new LineWriter();

  return Buffer.concat(lines.map((line) => writer.line(line)));
}

export async function failure(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** The store of a process that ends at its nth commit: with or without that commit having happened. */
export function dying(store: Store, commits: number, isCommitted: boolean): Store {
  let left = commits;
  return overlaid(store, {
    async commit(writes) {
      if (left === 0) throw new ApiError('Unavailable', { what: 'the store', reason: 'the process has ended' });
      if (--left > 0) return store.commit(writes);
      if (isCommitted) await store.commit(writes);
      throw new ApiError('Unavailable', { what: 'the store', reason: 'the process has ended' });
    },
  });
}

/** The same store with some of its methods replaced. */
export function overlaid(store: Store, methods: Partial<Store>): Store {
  return {
    get: (key, at) => store.get(key, at),
    list: (prefix, options) => store.list(prefix, options),
    versions: (prefix, options) => store.versions(prefix, options),
    commit: (writes) => store.commit(writes),
    watch: (prefix, options) => store.watch(prefix, options),
    compact: (revision) => store.compact(revision),
    revision: () => store.revision(),
    close: () => store.close(),
    ...methods,
  };
}
