/**
 * How the processes of pods resolve the names of services and pods, without privileges. The first that works is used:
 *
 * - `mount`: a mount namespace in which the node's hosts file is mounted over /etc/hosts. Every program reads it, also
 *   statically linked ones. `/etc/resolv.conf` points to a closed port, so that unknown names fail at once.
 * - `preload`: `libnss_wrapper.so` of Debian's libnss-wrapper. For programs that resolve names with the C library: Go
 *   programs that were built with cgo, such as Debian's etcd.
 * - `none`: only addresses can be used.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ApiError } from '@ecsm/runtime';

export type NameLookup = 'mount' | 'preload' | 'none';

export interface ProcessCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface NameLookupOptions {
  readonly hostsFile: string;
  readonly resolverFile: string;
  /** Use this one. Default: the first that works. */
  readonly only?: NameLookup;
  /** The path of `libnss_wrapper.so`. Default: where Debian installs it. */
  readonly nssWrapper?: string;
}

/** Adds to a command what lets it resolve names, and what ends it when this process ends. */
export interface ProcessWrapper {
  readonly names: NameLookup;
  wrap(command: ProcessCommand): ProcessCommand;
}

/** As root in a container, a user namespace may be denied where a mount namespace alone is allowed. */
const mountNamespaces = [
  ['-Urm', '--propagation', 'private'],
  ['-m', '--propagation', 'private'],
];
/**
 * `$0` is the process id of the node, `$1` the hosts file, `$2` the resolver file. The signal at the death of the parent
 * is set before this script runs, so a parent that is still there now is not missed later.
 */
const checkParent = '[ "$PPID" = "$0" ] || exit 1';
const mountScript = `${checkParent}; mount --bind "$1" /etc/hosts || exit 1; mount --bind "$2" /etc/resolv.conf 2>/dev/null; shift 2; exec "$@"`;
const plainScript = `${checkParent}; exec "$@"`;
const endWithParent = ['setpriv', '--pdeathsig', 'KILL', '--'];

/** Creates both files if they do not exist. Throws `Unavailable` if a required mechanism does not work. */
export async function processWrapper(options: NameLookupOptions): Promise<ProcessWrapper> {
  const { hostsFile, resolverFile, only } = options;
  if (!existsSync(hostsFile)) writeFileSync(hostsFile, '127.0.0.1 localhost\n');
  writeFileSync(resolverFile, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const prefix = (await succeeds([...endWithParent, 'true'])) ? endWithParent : [];
  const parent = String(process.pid);
  if (only === undefined || only === 'mount') {
    for (const flags of mountNamespaces) {
      const start = ['unshare', ...flags, '--', ...prefix, 'sh', '-c', mountScript, parent, hostsFile, resolverFile];
      if (await succeeds([...start, 'true'])) return { names: 'mount', wrap: (command) => prefixed(start, command) };
    }
  }
  const plain = [...prefix, 'sh', '-c', plainScript, parent];
  const nssWrapper = options.nssWrapper ?? findNssWrapper();
  if ((only === undefined || only === 'preload') && nssWrapper !== undefined && existsSync(nssWrapper)) {
    const variables = { LD_PRELOAD: nssWrapper, NSS_WRAPPER_HOSTS: hostsFile, GODEBUG: 'netdns=cgo' };
    return {
      names: 'preload',
      wrap: (command) => prefixed(plain, { ...command, environment: { ...command.environment, ...variables } }),
    };
  }
  if (only !== undefined && only !== 'none') {
    const reason = only === 'mount' ? 'mount namespaces are denied' : 'libnss_wrapper.so was not found';
    throw new ApiError('Unavailable', { what: `name lookup by ${only}`, reason });
  }
  return { names: 'none', wrap: (command) => prefixed(plain, command) };
}

function prefixed(start: readonly string[], command: ProcessCommand): ProcessCommand {
  const [file = '', ...flags] = start;
  return { ...command, file, arguments: [...flags, command.file, ...command.arguments] };
}

function succeeds([file = '', ...flags]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, flags, { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

function findNssWrapper(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu')) : [];
  return folders.map((name) => join('/usr/lib', name, 'libnss_wrapper.so')).find((path) => existsSync(path));
}
