/** Finds the releases of etcd on this machine, and other programs that the demonstration uses. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const tools = process.env.ETCD_START_TOOLS ?? fileURLToPath(new URL('../../.tools', import.meta.url));

const startMsMax = 10_000;
/** Earlier patches cannot be upgraded to 3.6. */
const patchBefore36 = 26;

/** Each release with its directory, the oldest first. `make start-etcd` fetches 3.5; `make test-kubernetes` builds others. */
export async function findReleases(env = process.env) {
  const found = new Map();
  for (const directory of directoriesOf(env)) {
    if (!existsSync(join(directory, 'etcd'))) continue;
    const version = await versionIn(directory);
    if (version && !found.has(version)) found.set(version, { version, directory });
  }
  return [...found.values()].sort((one, other) => compare(one.version, other.version));
}

function directoriesOf({ ECSM_TOOLS, XDG_CACHE_HOME, ETCD_BIN = '', PATH = '' }) {
  const built = ECSM_TOOLS ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ecsm-operator', 'tools');
  const builds = existsSync(built) ? readdirSync(built).map((name) => join(built, name)) : [];
  const chosen = ETCD_BIN.includes('/') ? [dirname(ETCD_BIN)] : [];
  return [...chosen, join(tools, 'etcd-3.5'), ...builds, ...PATH.split(delimiter).filter((path) => path !== '')];
}

/** Undefined if the program does not run, or is older than 3.5: the operator supports 3.4, but not its tools. */
async function versionIn(directory) {
  try {
    const { stdout } = await promisify(execFile)(join(directory, 'etcd'), ['--version'], { timeout: startMsMax });
    const version = /etcd Version: (3\.\d+\.\d+)/.exec(stdout)?.[1];
    return version !== undefined && compare(version, '3.5.0') >= 0 ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The newest release that members of a version can be upgraded to; undefined if there is none. */
export function upgradeFrom(version, releases) {
  const [, minor = 0, patch = 0] = numbersOf(version);
  const isAllowed = ({ version: to }) => {
    const [, toMinor = 0] = numbersOf(to);
    if (compare(to, version) <= 0) return false;
    return toMinor === minor || (toMinor === minor + 1 && (toMinor !== 6 || patch >= patchBefore36));
  };
  return releases.filter(isAllowed).at(-1)?.version;
}

function numbersOf(version) {
  return version.split('.').map(Number);
}

function compare(one, other) {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const index = left.findIndex((number, at) => number !== right[at]);
  return index === -1 ? 0 : left[index] - right[index];
}

/** On the PATH, or unpacked by `make start-etcd`; undefined if it is missing. */
export function findProgram(name, directories, { PATH = '' } = process.env) {
  return [...PATH.split(delimiter), ...directories]
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}

/** For processes that resolve the names of pods, where mount namespaces are denied. */
export function findNssWrapper() {
  const folder = join(tools, 'usr', 'lib');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => join(folder, name, 'libnss_wrapper.so')).find((path) => existsSync(path));
}
