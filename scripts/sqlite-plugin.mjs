/** Tells a bundler where SQLite comes from: the package searches for its library beside its own files. */

/** `loader`: the text of a module that exports `DatabaseSync`. */
export function sqlitePlugin(loader) {
  return {
    name: 'sqlite',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({ path: 'library', namespace: 'sqlite' }));
      onLoad({ filter: /^library$/, namespace: 'sqlite' }, () => ({ contents: loader }));
    },
  };
}
