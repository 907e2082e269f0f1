/**
 * Changes kubeconfig files: the current context, and entries of a context. Unknown fields are kept, comments are not.
 * As in kubectl, an entry is changed in the file that has it; new ones are added to the first file that exists.
 */
import { chmod, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApiError } from '@ecsm/runtime';
import type { ClusterFields, ContextFields, KubeconfigFile, UserFields } from './kubeconfig.ts';
import { entryOf, type KubeconfigSource, kubeconfigPaths, loadKubeconfig, readKubeconfig } from './load.ts';

/** The entries of one context; each of them replaces the entry of its name. */
export interface ContextEntries {
  readonly name: string;
  readonly context: ContextFields;
  readonly cluster?: { readonly name: string; readonly fields: ClusterFields };
  readonly user?: { readonly name: string; readonly fields: UserFields };
}

/** Sets the current context. Throws `BadRequest` if there is no such context. Returns the changed file. */
export async function useContext(source: KubeconfigSource, name: string): Promise<string> {
  const config = await loadKubeconfig(source);
  entryOf(config, config.contexts, 'context', name);
  const path = config.files[0] ?? newFile(source);
  await change(path, (content) => ({ ...content, 'current-context': name }));
  return path;
}

/** Adds or replaces a context, its cluster and its user. Returns the file of the context. */
export async function setContext(source: KubeconfigSource, entries: ContextEntries): Promise<string> {
  const { name, context, cluster, user } = entries;
  // A missing explicit file is created.
  const isNew = source.kubeconfig !== undefined && (await readIfPresent(source.kubeconfig)) === undefined;
  const config = isNew ? undefined : await loadKubeconfig(source);
  const path = config?.files[0] ?? newFile(source);
  if (cluster) {
    const entry = { name: cluster.name, cluster: cluster.fields };
    await change(config?.clusters.get(cluster.name)?.file ?? path, (content) => ({
      ...content,
      clusters: withEntry(content.clusters, entry),
    }));
  }
  if (user) {
    const entry = { name: user.name, user: user.fields };
    await change(config?.users.get(user.name)?.file ?? path, (content) => ({
      ...content,
      users: withEntry(content.users, entry),
    }));
  }
  const file = config?.contexts.get(name)?.file ?? path;
  await change(file, (content) => ({ ...content, contexts: withEntry(content.contexts, { name, context }) }));
  return file;
}

function newFile(source: KubeconfigSource): string {
  const path = kubeconfigPaths(source).at(-1);
  if (path === undefined) throw new ApiError('BadRequest', { reason: 'there is no place for a kubeconfig: set HOME' });
  return path;
}

function withEntry<Entry extends { readonly name: string }>(
  entries: readonly Entry[] | null | undefined,
  entry: Entry,
): readonly Entry[] {
  const known = entries ?? [];
  return known.some(({ name }) => name === entry.name)
    ? known.map((other) => (other.name === entry.name ? entry : other))
    : [...known, entry];
}

/** Replaces the file in one step, so that readers see the old or the new content. It holds secrets: mode 0600. */
async function change(path: string, edit: (content: KubeconfigFile) => KubeconfigFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await locked(path, async () => {
    const present = await readIfPresent(path);
    const content = edit(present ?? emptyFile);
    const target = present === undefined ? path : await realpath(path);
    const mode = present === undefined ? 0o600 : (await stat(target)).mode & 0o777;
    const { stringify } = await import('yaml');
    const fresh = `${target}.new`;
    try {
      await writeFile(fresh, stringify(content, { lineWidth: 0 }), { mode });
      await chmod(fresh, mode);
      await rename(fresh, target);
    } catch (error) {
      await rm(fresh, { force: true });
      const reason = error instanceof Error ? error.message : String(error);
      throw new ApiError('ReadOnly', { what: path, reason }, error);
    }
  });
}

const emptyFile = { apiVersion: 'v1', kind: 'Config', clusters: [], users: [], contexts: [] };

async function readIfPresent(path: string): Promise<KubeconfigFile | undefined> {
  return readKubeconfig(path, true);
}

/** kubectl uses the same lock file. */
async function locked(path: string, work: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`;
  try {
    await (await open(lock, 'wx', 0)).close();
  } catch (error) {
    const reason = `another program changes it, or was stopped while it did: remove ${lock} in that case`;
    throw new ApiError('Unavailable', { what: path, reason }, error);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}
