/**
 * Keeps the objects of namespaces: one for `default` and for every namespace that contains objects, and the deletion of
 * the contents of a namespace that is deleted.
 */
import {
  Controller,
  isApiError,
  type Log,
  NAMESPACE_DEFAULT,
  type ReconcileResult,
  type Registry,
  type Runnable,
  sleep,
} from '@ecsm/runtime';
import { Namespace } from '../kinds/core.ts';
import { contentsFinalizer, nameLabel } from '../verbs/prepare.ts';

/** Objects can be written to the registry by other processes, in namespaces that have no object yet. */
const sweepMs = 60_000;
/** Between two looks at a namespace whose objects wait for their finalizers. */
const retryMs = 1_000;
/** Objects deleted in one pass. */
const pageObjects = 200;

/** `names` have an object even if they contain none of the registry. */
export function namespaceController(log: Log, names: readonly string[]): readonly Runnable[] {
  const controller = new Controller({
    name: 'namespace',
    kind: Namespace,
    reconcile: async (_request, context) => {
      const namespace = await context.get();
      return namespace === undefined ? undefined : reconcile(context.registry, namespace);
    },
    log,
  });
  return [
    { name: 'namespaces', run: ({ registry, signal }) => createMissing(registry, names, signal, log) },
    {
      name: 'namespace',
      run: ({ registry, informers, signal }) => controller.run({ registry, informers, signal }),
      ready: () => controller.ready(),
    },
  ];
}

async function reconcile(registry: Registry, namespace: Namespace): Promise<ReconcileResult> {
  const { name, uid, finalizers = [], labels = {}, deletionTimestamp } = namespace.metadata;
  const namespaces = registry.resource(Namespace);
  const phase = deletionTimestamp === undefined ? 'Active' : 'Terminating';
  if (namespace.status?.phase !== phase) await namespaces.updateStatus({ metadata: { name, uid }, status: { phase } });
  if (deletionTimestamp === undefined) {
    const isComplete = finalizers.includes(contentsFinalizer) && labels[nameLabel] === name;
    if (!isComplete) await namespaces.patch(name, { metadata: completed(name, finalizers) }, { uid });
    return;
  }
  if (!finalizers.includes(contentsFinalizer)) return;
  if (!(await deleteContents(registry, name))) return { requeueAfterMs: retryMs };
  const left = finalizers.filter((finalizer) => finalizer !== contentsFinalizer);
  await namespaces.patch(name, { metadata: { finalizers: left } }, { uid });
}

/** What the server adds to every namespace. */
function completed(name: string, finalizers: readonly string[] = []) {
  return { finalizers: [...new Set([...finalizers, contentsFinalizer])], labels: { [nameLabel]: name } };
}

/** Returns whether the namespace is empty. */
async function deleteContents(registry: Registry, namespace: string): Promise<boolean> {
  let isEmpty = true;
  for (const kind of registry.kinds.kinds) {
    if (kind.scope === 'Cluster') continue;
    const resource = registry.resource(kind);
    const { keys } = await resource.versions({ namespace, limit: pageObjects });
    for (const key of keys) {
      const { name } = registry.locate(key) ?? {};
      if (name !== undefined) await resource.delete(name, { namespace });
    }
    if (keys.length > 0) isEmpty = false;
  }
  return isEmpty;
}

export async function createNamespaces(registry: Registry, names: Iterable<string>, log: Log): Promise<void> {
  for (const name of names) {
    try {
      await createUnlessExists(registry, name);
    } catch (error) {
      // The others do not wait until this one is repaired.
      if (!isApiError(error, 'Corrupt')) throw error;
      log.write('warn', 'namespace cannot be read', { namespace: name, error: error.message });
    }
  }
}

async function createMissing(
  registry: Registry,
  names: readonly string[],
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await createNamespaces(registry, new Set([...names, ...(await namespacesInUse(registry))]), log);
    } catch (error) {
      if (!isApiError(error)) throw error;
      log.write('warn', 'namespaces could not be created; retrying', { error: error.message });
    }
    await sleep(registry.clock, sweepMs, signal);
  }
}

async function namespacesInUse(registry: Registry): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const kind of registry.kinds.kinds) {
    if (kind.scope === 'Cluster') continue;
    for (const key of (await registry.resource(kind).versions()).keys) {
      found.add(registry.locate(key)?.namespace ?? NAMESPACE_DEFAULT);
    }
  }
  return found;
}

async function createUnlessExists(registry: Registry, name: string): Promise<void> {
  const namespaces = registry.resource(Namespace);
  try {
    await namespaces.get(name);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    const created = namespaces.create({ metadata: { name, ...completed(name) }, spec: {} });
    await created.catch((conflict: unknown) => {
      if (!isApiError(conflict, 'AlreadyExists')) throw conflict;
    });
  }
}
