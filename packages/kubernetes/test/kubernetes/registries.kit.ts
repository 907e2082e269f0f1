/** Registries on the real API server of the run, each of them empty: what a test leaves behind is deleted. */
import { type Clock, isApiError, type Kind, type Registry, systemRandom } from '@ecsm/runtime';
import { inject } from 'vitest';
import type { RegistryHarness } from '../../../runtime/src/registry/registry.suite.ts';
import { openKubernetesRegistry } from '../../src/registry/open.ts';
import type { KubernetesRegistry } from '../../src/registry/registry.ts';
import type { RestClient } from '../../src/rest/client.ts';
import { crdOf } from './crd.kit.ts';

const opened: KubernetesRegistry[] = [];

export function realHarness(): RegistryHarness {
  return {
    capabilities: [],
    create: (options) => openReal(options),
    damage: undefined,
    isKubernetes: true,
    async cleanup() {
      for (const registry of opened.splice(0)) {
        for (const kind of registry.kinds.kinds) if (kind.group !== '') await removeAll(registry, kind);
        await registry.close();
      }
    },
  };
}

export async function openReal(options: {
  readonly kinds: readonly Kind[];
  readonly clock?: Clock;
}): Promise<KubernetesRegistry> {
  const registry = await openKubernetesRegistry('kubernetes:test', {
    kinds: options.kinds,
    kubeconfig: inject('kubeconfig'),
    env: {},
    random: systemRandom,
  });
  opened.push(registry);
  for (const kind of options.kinds) if (kind.group !== '') await install(registry.client, kind);
  await createIfMissing(registry.client, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'other' },
  });
  return registry;
}

const installed = new Set<string>();

/** Installs the definition of a kind and waits until its objects are served. */
export async function install(client: RestClient, kind: Kind): Promise<void> {
  const name = `${client.connection.server} ${kind.plural}.${kind.group}`;
  if (installed.has(name)) return;
  await createIfMissing(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crdOf(kind));
  const path = `/apis/${kind.group}/${kind.version}/${kind.plural}`;
  for (;;) {
    const isServed = await client.request({ method: 'GET', path, query: { limit: '1' } }).then(
      () => true,
      (error) => !isApiError(error, 'Rejected'),
    );
    if (isServed) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  installed.add(name);
}

async function createIfMissing(client: RestClient, path: string, body: unknown): Promise<void> {
  await client.request({ method: 'POST', path, body }).catch((error) => {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  });
}

async function removeAll(registry: Registry, kind: Kind): Promise<void> {
  const resource = registry.resource(kind);
  for (const { metadata } of (await resource.list()).items) {
    const { name, namespace } = metadata;
    if (metadata.finalizers?.length) await resource.patch(name, { metadata: { finalizers: null } }, { namespace });
    await resource.delete(name, { namespace });
  }
}
