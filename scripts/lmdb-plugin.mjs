/** What a bundler has to know of lmdb. Its library is found by a module that is given here as text. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `loader`: a module whose default is what lmdb calls to get its library, in place of a search beside its own files. */
export function lmdbPlugin(loader) {
  return {
    name: 'lmdb',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node-gyp-build-optional-packages$/ }, () => ({ path: 'library', namespace: 'lmdb' }));
      onLoad({ filter: /^library$/, namespace: 'lmdb' }, () => ({ contents: loader }));
      // It evaluates text that speaks of its own variables. Of modules the bundler renames those, of CommonJS it does not.
      const orderedBinary = join(root, 'node_modules', 'ordered-binary', 'dist', 'index.cjs');
      onResolve({ filter: /^ordered-binary$/ }, () => ({ path: orderedBinary }));
      // An accelerator that msgpackr does without where it is missing.
      onResolve({ filter: /^msgpackr-extract$/ }, () => ({ path: 'absent', namespace: 'lmdb' }));
      onLoad({ filter: /^absent$/, namespace: 'lmdb' }, () => ({ contents: "throw new Error('not in this bundle');" }));
    },
  };
}
