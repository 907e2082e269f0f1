/** Opens a registry by its URL. The library of a store is loaded only if that store is used. */
import type { Kind } from '../api/kind.ts';
import { KindSet } from '../api/kind-set.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import { type Random, systemRandom } from '../ports/random.ts';
import type { Store } from '../store/contract.ts';
import type { EtcdStoreOptions } from '../store/etcd/store.ts';
import type { Admission } from '../store/file/admission.ts';
import type { FileStoreOptions } from '../store/file/store.ts';
import { parseStoreUrl } from '../store/url.ts';
import { admissionFor } from './admission.ts';
import { EmbeddedRegistry } from './embedded.ts';

export interface OpenOptions {
  readonly kinds: Iterable<Kind> | KindSet;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The manager of writes that name none, to objects that have managers. Default `unknown`. */
  readonly manager?: string;
  /** Options of the store of the URL. Each is documented with its default by that store. */
  readonly tuning?: StoreTuning;
}

export type StoreTuning = Partial<
  Pick<FileStoreOptions, 'logCommitsMax' | 'logAgeMsMax' | 'pollMs' | 'lockTimeoutMs' | 'scanMs'> &
    Pick<EtcdStoreOptions, 'timeoutMs' | 'tls'>
>;

export async function openRegistry(url: string, options: OpenOptions): Promise<EmbeddedRegistry> {
  const { clock = systemClock, random = systemRandom, log = silentLog, tuning = {} } = options;
  const kinds = options.kinds instanceof KindSet ? options.kinds : new KindSet(options.kinds);
  const store = await openStore(url, { ...tuning, clock, random, log, admit: admissionFor(kinds, { clock, random }) });
  return new EmbeddedRegistry({ store, kinds, clock, random, manager: options.manager });
}

interface StoreOptions extends StoreTuning {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly admit: Admission;
}

async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const place = parseStoreUrl(url);
  switch (place.scheme) {
    case 'memory': {
      const { MemoryStore } = await import('../store/memory/store.ts');
      return new MemoryStore(options);
    }
    case 'sqlite': {
      const { SqliteStore } = await import('../store/sqlite/store.ts');
      return SqliteStore.open({ ...options, directory: place.directory });
    }
    case 'file': {
      const { FileStore } = await import('../store/file/store.ts');
      return FileStore.open({ ...options, directory: place.directory });
    }
    case 'etcd': {
      const { openEtcdStore } = await import('../store/etcd/store.ts');
      return openEtcdStore({ ...place, ...options });
    }
  }
}
