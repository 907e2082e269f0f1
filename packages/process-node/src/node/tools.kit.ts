/** What tests of processes need from the machine, and the reasons printed where it is missing. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processWrapper } from './name-lookup.ts';

const tools = fileURLToPath(new URL('../../../../.tools', import.meta.url));

/** `libnss_wrapper.so`: installed, or unpacked by `make test`. */
export function nssWrapper(): string | undefined {
  const folders = ['/usr/lib', join(tools, 'usr/lib')].filter((path) => existsSync(path));
  const paths = folders.flatMap((path) => readdirSync(path).map((name) => join(path, name, 'libnss_wrapper.so')));
  return found(
    'libnss_wrapper.so',
    paths.find((path) => existsSync(path)),
  );
}

/** The directory with the program etcd: that of `ETCD_BIN`, on the PATH, or unpacked by `make test`. */
export function etcdDirectory(): string | undefined {
  const chosen = process.env['ETCD_BIN'];
  if (chosen?.includes('/')) return join(chosen, '..');
  const folders = [...(process.env['PATH'] ?? '').split(':'), join(tools, 'usr/bin')];
  return found(
    'etcd',
    folders.find((path) => existsSync(join(path, chosen ?? 'etcd'))),
  );
}

/** Whether processes can have a hosts file of their own. */
export async function mountsAreAllowed(): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'process-node-'));
  const files = { hostsFile: join(directory, 'hosts'), resolverFile: join(directory, 'resolv.conf') };
  try {
    await processWrapper({ ...files, only: 'mount' });
    return true;
  } catch {
    console.warn('skipped: mount namespaces are denied to this user');
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function found(what: string, path: string | undefined): string | undefined {
  if (path === undefined) console.warn(`skipped: no ${what} on this machine, and make test could not fetch it`);
  return path;
}
