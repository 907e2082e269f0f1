/** The calls of a process to the simulated store as effects: they have latency, get lost, and are cut off with the process. */
import { isApiError } from '@ecsm/runtime';
import type { ProcessDependencies } from '@ecsm/runtime/simulation';
import type { BackupStorageClient, StoredObject } from '../contract.ts';
import { StorageError } from '../error.ts';
import { fullKey, normalizedPath } from '../key.ts';
import type { SimulatedStorage } from './store.kit.ts';

/** For partitions. */
const storageLink = 'storage';
const putTimeoutMs = 60_000;
const timeoutMs = 10_000;

export function linkToStorage(
  store: SimulatedStorage,
  doors: Pick<ProcessDependencies, 'effect'>,
  path?: string,
): BackupStorageClient {
  const client = store.open(path);
  const below = fullKey(normalizedPath(path), '');
  const call = async <T>(
    name: string,
    apply: () => Promise<T>,
    options: Omit<Parameters<typeof doors.effect<T>>[2], 'link'>,
  ): Promise<T> => {
    try {
      return await doors.effect(`storage ${name}`, apply, { timeoutMs, ...options, link: storageLink });
    } catch (error) {
      if (isApiError(error, 'Timeout')) throw new StorageError('Timeout', error.message);
      if (isApiError(error, 'Unavailable')) throw new StorageError('Unavailable', error.message);
      throw error;
    }
  };
  const listed = async (prefix: string): Promise<readonly StoredObject[]> => {
    const objects: StoredObject[] = [];
    for await (const object of client.list(prefix)) objects.push(object);
    return objects;
  };
  const listedBefore = (prefix: string, changes: number) =>
    store.list(below + prefix, changes).map((object) => ({ ...object, key: object.key.slice(below.length) }));
  return {
    hasFiles: client.hasFiles,
    put: (key, body, options) =>
      call(`put ${key}`, () => client.put(key, body, options), { kind: 'write', timeoutMs: putTimeoutMs }),
    head: (key) => call(`head ${key}`, () => client.head(key), { kind: 'read' }),
    get: (key) => call(`get ${key}`, () => client.get(key), { kind: 'read' }),
    async *list(prefix) {
      const stale = (changes: number) => listedBefore(prefix, changes);
      yield* await call(`list ${prefix}`, () => listed(prefix), { kind: 'read', stale });
    },
    // A request that arrives twice deletes nothing that was stored meanwhile: keys are not used again.
    delete: (key) => call(`delete ${key}`, () => client.delete(key), { kind: 'write', repeatable: true }),
    close: () => client.close(),
  };
}
