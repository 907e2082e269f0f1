/**
 * Shared informers: one informer and one watch for each kind, however many controllers of a process use it. An informer
 * starts with its first user and stops when the last one releases it. A manager has one set for all its runnables.
 */
import type { Kind } from '../api/kind.ts';
import type { Log } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { prefixOf } from '../registry/keys.ts';
import { Informer } from './informer.ts';

export interface InformersOptions {
  readonly registry: Registry;
  /** See `InformerOptions`. */
  readonly resyncMs?: number;
  readonly log?: Log;
}

export interface InformerUse {
  readonly informer: Informer;
  /** To be called once. For the last user, it resolves when the informer has stopped. */
  release(): Promise<void>;
}

interface Running {
  readonly informer: Informer;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  users: number;
}

export class Informers {
  readonly #options: InformersOptions;
  /** By kind and namespace. */
  readonly #running = new Map<string, Running>();

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /**
   * Returns a running informer. Handlers that are added before the first `await` get its first list. The informer of one
   * namespace is not that of all namespaces.
   */
  use(kind: Kind, namespace?: string): InformerUse {
    const key = prefixOf(kind, namespace);
    const running = this.#running.get(key) ?? this.#start(kind, namespace);
    this.#running.set(key, running);
    running.users++;
    return {
      informer: running.informer,
      release: async () => {
        if (--running.users > 0) return;
        this.#running.delete(key);
        running.stop.abort('released');
        await running.ended;
      },
    };
  }

  #start(kind: Kind, namespace: string | undefined): Running {
    const informer = new Informer({ ...this.#options, kind, ...(namespace === undefined ? {} : { namespace }) });
    const stop = new AbortController();
    return { informer, stop, ended: informer.run(stop.signal), users: 0 };
  }
}
