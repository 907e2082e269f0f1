/** The programs of etcd 3.5, to compare with: `etcdctl` for a server, `etcdutl` for a file. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { etcdBinaries } from '../client/etcd/binaries.kit.ts';
import type { EtcdEndpoint } from '../client/etcd/contract.ts';

const run = promisify(execFile);

export async function etcdTool(name: 'etcdctl' | 'etcdutl', ...argv: readonly string[]): Promise<string> {
  const found = etcdBinaries('3.5');
  if (found.directory === undefined) throw new Error(found.reason);
  const { stdout } = await run(join(found.directory, name), argv, { timeout: 120_000 });
  return stdout;
}

/** Without TLS. */
export function etcdctlOf({ address, port }: EtcdEndpoint, ...common: readonly string[]) {
  return (...argv: readonly string[]) =>
    etcdTool('etcdctl', `--endpoints=http://${address}:${port}`, ...common, ...argv);
}

/** What `etcdutl snapshot status` prints, under our names. */
export async function statusOf(path: string) {
  const status: unknown = JSON.parse(await etcdTool('etcdutl', 'snapshot', 'status', '-w', 'json', path));
  const { hash, revision, totalKey, totalSize } = status as Readonly<Record<string, number>>;
  return {
    hash: (hash ?? 0).toString(16).padStart(8, '0'),
    revision: String(revision),
    totalKeys: totalKey,
    totalSizeBytes: totalSize,
  };
}
