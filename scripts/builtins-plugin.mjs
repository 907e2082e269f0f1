/**
 * Loads the modules of Node.js in a bundle with `require`. An `import` of `node:fs` or `node:crypto` evaluates everything that
 * the module loads only when it is used, such as `fs.promises` and the Web Crypto API, which takes 2 MB. The bundle has to
 * define `require`.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const builtinsPlugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'builtin' },
    );
    onLoad({ filter: /^node:/, namespace: 'builtin' }, ({ path }) => ({ contents: moduleOf(path) }));
  },
};

/** Exports that nothing imports are removed from the bundle, and so are not evaluated. */
function moduleOf(path) {
  const names = Object.keys(require(path)).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'default');
  return [
    `const builtin = require(${JSON.stringify(path)});`,
    'export default builtin;',
    ...names.map((name) => `const value_${name} = /* @__PURE__ */ (() => builtin.${name})();`),
    `export { ${names.map((name) => `value_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}
