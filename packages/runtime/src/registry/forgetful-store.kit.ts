/** A store whose `get` can be made to answer with what it was asked for once, as a replica that is behind would. */
import type { Entry, Store } from '../store/contract.ts';

export interface ForgetfulStore {
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
