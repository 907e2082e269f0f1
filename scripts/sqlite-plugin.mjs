/** Replaces the SQLite package in a bundle, because it searches for its library next to its own files. */

/** @param {string} loader source of a module that exports `DatabaseSync` */
export function sqlitePlugin(loader) {
  return {
    name: 'sqlite',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({ path: 'library', namespace: 'sqlite' }));
      onLoad({ filter: /^library$/, namespace: 'sqlite' }, () => ({ contents: loader }));
    },
  };
}
