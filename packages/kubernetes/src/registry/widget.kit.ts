/** Objects as kube-apiserver 1.34 sends them, and a registry on a scripted server. */
import type { ServerResponse } from 'node:http';
import { type Clock, defineFieldsKind, type Log, schema, systemRandom } from '@ecsm/runtime';
import { Region, Widget } from '@ecsm/runtime/testing';
import type { ClientOptions, Script } from '../rest/server.kit.ts';
import { clientOf, fastClock, scriptedServer } from '../rest/server.kit.ts';
import { KubernetesRegistry } from './registry.ts';

const { map, object, optional, string } = schema;

export const ConfigMap = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  names: 'subdomain',
  fields: object({ data: optional(map(string())) }),
});

export const widgetsPath = '/apis/example.io/v1/namespaces/default/widgets';

export function widget(name: string, resourceVersion: number, spec: object = { size: 1 }) {
  return {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: {
      creationTimestamp: '2026-11-16T23:04:19Z',
      generation: 1,
      name,
      namespace: 'default',
      resourceVersion: String(resourceVersion),
      uid: `uid-of-${name}`,
    },
    spec,
  };
}

/** As in a watch or a list of metadata. */
export function partial(name: string, resourceVersion: number) {
  const { metadata } = widget(name, resourceVersion);
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

export const bookmark = (resourceVersion: number) => ({
  type: 'BOOKMARK',
  object: { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { resourceVersion: String(resourceVersion) } },
});

export function startWatch(response: ServerResponse, ...events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  for (const event of events) response.write(`${JSON.stringify(event)}\n`);
}

interface ScriptedOptions extends ClientOptions {
  readonly clock?: Clock;
  readonly log?: Log;
}

export async function scriptedRegistry(script: Script, options: ScriptedOptions = {}) {
  const server = await scriptedServer(script);
  const { clock = fastClock, log } = options;
  const registry = new KubernetesRegistry({
    client: clientOf(server.url, { ...options, clock }),
    kinds: [Widget, Region, ConfigMap],
    clock,
    random: systemRandom,
    ...(log && { log }),
  });
  return { registry, widgets: registry.resource(Widget), received: server.received };
}
