/** The release of etcd that is measured: the one that `scripts/ensure-etcd.sh 3.5` fetches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const etcdVersion = 'v3.5.16';

/** Undefined, with the reason on the error output, if it is not there. */
export function etcdDirectory(): string | undefined {
  const directory = fileURLToPath(new URL('../../../.tools/etcd-3.5', import.meta.url));
  if (existsSync(join(directory, 'etcd'))) return directory;
  process.stderr.write(`not measured: no etcd in ${directory}\n`);
  return undefined;
}
