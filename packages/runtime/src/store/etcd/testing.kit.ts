/** Shared by the tests of this folder: opens stores that are closed afterwards, and builds commits. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError } from '../../api/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import { silentLog } from '../../ports/log.ts';
import { systemRandom } from '../../ports/random.ts';
import type { Commit, Revision, Store, WatchOptions, Write } from '../contract.ts';
import { type EtcdServer, type StartEtcdOptions, startEtcd } from './etcd.kit.ts';
import { type FaultyProxy, startProxy } from './proxy.kit.ts';
import { type EtcdStoreOptions, openEtcdStore } from './store.ts';

const cleanups: (() => Promise<void>)[] = [];

/** Runs after the test, the last one first. */
export function afterwards(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

export async function cleanup(): Promise<void> {
  for (const run of cleanups.splice(0).reverse()) await run();
}

export async function openStore(
  options: Partial<EtcdStoreOptions> & { readonly endpoints: readonly string[] },
): Promise<Store> {
  const store = await openEtcdStore({
    prefix: freshPrefix(),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
  });
  afterwards(() => store.close());
  return store;
}

/** A server that the test may kill. */
export async function startOwn(options: StartEtcdOptions = {}): Promise<EtcdServer> {
  const server = await startEtcd(options);
  afterwards(() => server.stop());
  return server;
}

export async function proxyTo(server: EtcdServer): Promise<FaultyProxy> {
  const proxy = await startProxy(server.port);
  afterwards(() => proxy.stop());
  return proxy;
}

/** An HTTP server that is not etcd. Returns its endpoint. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

let prefixes = 0;
export const freshPrefix = () => `test/${++prefixes}`;

const bytes = (text: string) => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined) =>
  value === undefined ? undefined : new TextDecoder().decode(value);
export const put = (key: string, value = 'x'): Write => ({ type: 'put', key, value: bytes(value) });
export const remove = (key: string): Write => ({ type: 'delete', key });

export async function commit(store: Store, ...writes: Write[]): Promise<Revision> {
  const outcome = await store.commit(writes);
  if (!outcome.committed) throw new Error(`unexpected conflict ${JSON.stringify(outcome)}`);
  return outcome.revision;
}

export async function take(store: Store, count: number, options: WatchOptions): Promise<Commit[]> {
  const commits: Commit[] = [];
  for await (const next of store.watch('', options)) {
    commits.push(next);
    if (commits.length >= count) break;
  }
  return commits;
}

export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return isApiError(error) ? error.code : `not from the catalogue: ${error}`;
  }
  return 'no error';
}

/** Repeats until it holds; the test's own time limit ends it otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
