/**
 * Starts a tool from its bundle, with what the engine has compiled of it before: people wait for a tool every time they
 * use it, and compiling is most of what there is to wait for. Without that, or with that of another Node, it only takes
 * longer.
 */
'use strict';
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vm = require('node:vm');

module.exports = function launch(name) {
  const filename = join(__dirname, '..', 'dist', 'programs', `${name}.cjs`);
  const cache = `${filename}.cache`;
  const script = new vm.Script(sourceOf(name, filename), {
    filename,
    cachedData: readIfThere(cache),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (process.env.ECSM_WRITE_CODE_CACHE) process.on('exit', () => replace(cache, script.createCachedData()));
  script.runInThisContext()(require, filename);
};

/** It has no character beyond ASCII, so that it takes one byte each and is not looked through for others. */
function sourceOf(name, filename) {
  try {
    return readFileSync(filename, 'latin1');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    process.stderr.write(`${name}: it has not been built: run make build\n`);
    process.exit(1);
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function replace(file, bytes) {
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
}
