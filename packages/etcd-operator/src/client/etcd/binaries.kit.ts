/** Where the programs of the releases of etcd are that tests use: fetched by `make test`, or built by `make test-kubernetes`. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `3.5` is 3.5.16, as Debian has it; `3.5-built` is a later one, from which 3.6 can be upgraded to. */
export type EtcdRelease = '3.4' | '3.5' | '3.5-built' | '3.6';

/** The directory has `etcd`; from 3.5 also `etcdctl` and `etcdutl`. */
type EtcdBinaries =
  | { readonly directory: string; readonly version: string }
  | { readonly directory: undefined; readonly reason: string };

const repository = fileURLToPath(new URL('../../../../../', import.meta.url));

export function etcdBinaries(release: EtcdRelease): EtcdBinaries {
  const { directory, version, remedy } = places[release]();
  if (isExecutable(join(directory, 'etcd'))) return { directory, version };
  return { directory: undefined, reason: `no etcd ${version} in ${directory}: ${remedy}` };
}

/**
 * Whether to skip tests that need a release, with the reason printed. With CI=true only releases that have to be built
 * are skipped.
 */
export function skipWithoutRelease(release: EtcdRelease): boolean {
  const found = etcdBinaries(release);
  if (found.directory !== undefined) return false;
  if (process.env['CI'] === 'true' && (release === '3.4' || release === '3.5')) return false;
  process.stderr.write(`tests with etcd ${release} skipped: ${found.reason}\n`);
  return true;
}

const places = {
  '3.4': () => ({
    directory: join(repository, '.tools', 'usr', 'bin'),
    version: '3.4.23',
    remedy: 'scripts/ensure-tool.sh etcd etcd-server',
  }),
  '3.5': () => ({
    directory: join(repository, '.tools', 'etcd-3.5'),
    version: '3.5.16',
    remedy: 'scripts/ensure-etcd.sh 3.5',
  }),
  '3.5-built': () => built('3.5'),
  '3.6': () => built('3.6'),
} as const;

function built(line: '3.5' | '3.6') {
  const module = readFileSync(join(repository, 'scripts', 'etcd', line, 'go.mod'), 'utf8');
  const version = /go\.etcd\.io\/etcd\/server\/v3 v(\S+)/.exec(module)?.[1] ?? '';
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const tools = process.env['ECSM_TOOLS'] ?? join(cache, 'ecsm-operator', 'tools');
  return { directory: join(tools, `etcd-${version}`), version, remedy: `scripts/etcd/build.sh ${line}` };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
