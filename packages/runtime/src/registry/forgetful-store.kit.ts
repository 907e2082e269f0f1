/** Stores that can be made to answer with an earlier state, as a replica that is behind would. */
import type { Entry, ListOptions, Revision, Store } from '../store/contract.ts';

interface ForgetfulStore {
  readonly store: Store;
  /** Keys below this prefix are answered as they are now, until further notice. */
  freeze(prefix: string): Promise<void>;
  thaw(): void;
}

export function forgetful(target: Store): ForgetfulStore {
  let frozen: { readonly prefix: string; readonly entries: ReadonlyMap<string, Entry> } | undefined;
  const get: Store['get'] = async (key, at) =>
    frozen && at === undefined && key.startsWith(frozen.prefix) ? frozen.entries.get(key) : target.get(key, at);
  const store = new Proxy(target, {
    get(_, property) {
      if (property === 'get') return get;
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    store,
    async freeze(prefix) {
      const { keys } = await target.versions(prefix);
      const entries = new Map<string, Entry>();
      for (const key of keys) {
        const entry = await target.get(key);
        if (entry) entries.set(key, entry);
      }
      frozen = { prefix, entries };
    },
    thaw() {
      frozen = undefined;
    },
  };
}

/** A store whose reads can be stopped at the newest revision. Its watches and its commits are not behind. */
export function lagging(target: Store): { readonly store: Store; stop(): Promise<void>; resume(): void } {
  let revision: Revision | undefined;
  const asOf = (options: ListOptions = {}) => (revision === undefined ? options : { at: revision, ...options });
  const store = new Proxy(target, {
    get(_, property) {
      if (property === 'get') return (key: string, at = revision) => target.get(key, at);
      if (property === 'list') return (prefix: string, options?: ListOptions) => target.list(prefix, asOf(options));
      if (property === 'versions')
        return (prefix: string, options?: ListOptions) => target.versions(prefix, asOf(options));
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    store,
    async stop() {
      revision = await target.revision();
    },
    resume() {
      revision = undefined;
    },
  };
}
