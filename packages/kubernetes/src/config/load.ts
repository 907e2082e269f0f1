/**
 * Loads kubeconfig files as kubectl does: one explicit file, the files of `KUBECONFIG`, or `~/.kube/config`. Of several
 * files, the first one that sets a value or has an entry of a name decides; files that do not exist are skipped, but an
 * explicit one must exist. Relative paths are relative to the file that contains them.
 */
import { createReadStream } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { ApiError, isApiError, nearest } from '@ecsm/runtime';
import {
  type ClusterFields,
  type ContextFields,
  type KubeconfigFile,
  kubeconfigBytesMax,
  parseKubeconfig,
  type UserFields,
} from './kubeconfig.ts';

export interface KubeconfigSource {
  /** Environment variables: `KUBECONFIG`, `HOME`, and those that exec plugins inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only file to read. Default: those of `KUBECONFIG`, or `~/.kube/config`. */
  readonly kubeconfig?: string;
}

/** An entry with the directory of its file, which its relative paths refer to. */
export interface Entry<Fields> {
  readonly name: string;
  readonly fields: Fields;
  readonly directory: string;
  readonly file: string;
}

export interface Kubeconfig {
  /** Those that exist. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry<ClusterFields>>;
  readonly users: ReadonlyMap<string, Entry<UserFields>>;
  readonly contexts: ReadonlyMap<string, Entry<ContextFields>>;
}

/** The files to read, in order of precedence. */
export function kubeconfigPaths({ env, kubeconfig }: KubeconfigSource): readonly string[] {
  if (kubeconfig !== undefined) return [kubeconfig];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return [...new Set(listed)];
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home === undefined || home === '' ? [] : [join(home, '.kube', 'config')];
}

/** Throws `BadRequest` or `Malformed` with the file and the reason. Without any file, the result is empty. */
export async function loadKubeconfig(source: KubeconfigSource): Promise<Kubeconfig> {
  const clusters = new Map<string, Entry<ClusterFields>>();
  const users = new Map<string, Entry<UserFields>>();
  const contexts = new Map<string, Entry<ContextFields>>();
  const files: string[] = [];
  let currentContext: string | undefined;
  for (const path of kubeconfigPaths(source)) {
    const content = await readKubeconfig(path, source.kubeconfig === undefined);
    if (content === undefined) continue;
    files.push(path);
    currentContext ||= content['current-context'] ?? undefined;
    const place = { directory: dirname(resolve(path)), file: path };
    for (const { name, cluster } of content.clusters ?? [])
      addFirst(clusters, { ...place, name, fields: cluster ?? {} });
    for (const { name, user } of content.users ?? []) addFirst(users, { ...place, name, fields: user ?? {} });
    for (const { name, context } of content.contexts ?? [])
      addFirst(contexts, { ...place, name, fields: context ?? {} });
  }
  return { files, currentContext, clusters, users, contexts };
}

/** Returns undefined if the file does not exist and may be missing. */
export async function readKubeconfig(path: string, mayBeMissing: boolean): Promise<KubeconfigFile | undefined> {
  let content: Uint8Array;
  try {
    content = await readFile(path, kubeconfigBytesMax);
  } catch (error) {
    if (mayBeMissing && codeOf(error) === 'ENOENT') return undefined;
    throw isApiError(error) ? error : unreadable('the kubeconfig', path, error);
  }
  return parseKubeconfig(content, path);
}

/** Reads at most one byte beyond the limit, also of a file without an end. Throws `TooLarge`. */
async function readFile(path: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path, { end: bytesMax })) {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
  }
  if (sizeBytes > bytesMax) throw new ApiError('TooLarge', { what: path, sizeBytes, limitBytes: bytesMax });
  return Buffer.concat(chunks);
}

/** The entry of a name. Throws `BadRequest` that names the nearest one and the files. */
export function entryOf<Fields>(
  config: Kubeconfig,
  entries: ReadonlyMap<string, Entry<Fields>>,
  what: string,
  name: string,
): Entry<Fields> {
  const found = entries.get(name);
  if (found) return found;
  const near = nearest(name, entries.keys());
  const hint = near === undefined ? `known: ${[...entries.keys()].join(', ') || 'none'}` : `did you mean "${near}"?`;
  throw new ApiError('BadRequest', {
    reason: `there is no ${what} "${name}" in ${config.files.join(', ') || 'any kubeconfig'}: ${hint}`,
  });
}

export function unreadable(what: string, path: string, error: unknown): ApiError {
  const code = codeOf(error);
  return new ApiError(
    'BadRequest',
    { reason: `${what} ${path} cannot be read${code === '' ? '' : `: ${code}`}` },
    error,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function addFirst<Fields>(entries: Map<string, Entry<Fields>>, entry: Entry<Fields>): void {
  if (!entries.has(entry.name)) entries.set(entry.name, entry);
}
