/**
 * Shared informers: one for each kind, and so one watch, however many controllers of a process use it. An informer starts
 * with its first user and stops when the last one releases it. A manager has one set for everything that it runs.
 */
import type { Kind } from '../api/kind.ts';
import type { Log } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { prefixOf } from '../registry/keys.ts';
import { Informer } from './informer.ts';

export interface InformersOptions {
  readonly registry: Registry;
  /** See the informer. */
  readonly resyncMs?: number;
  readonly log?: Log;
}

export interface InformerUse {
  readonly informer: Informer;
  /** Resolves, if this was the last user, when the informer has stopped. To be called once. */
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
   * An informer that runs. Add handlers before the first `await`, and they see its first list. Of one namespace there is
   * another informer than of all.
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
