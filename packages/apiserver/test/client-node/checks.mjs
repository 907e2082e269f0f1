/**
 * Kubernetes' JavaScript client against our API server. It prints one line per check, and exits with 1 if one failed.
 * Usage: node checks.mjs <directory of client-node.sh> <launcher of ecsm-apiserver> <empty directory>
 */
import { deepStrictEqual, rejects } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Server } from './server.mjs';

const [, , installed = '', launcher = '', directory = ''] = process.argv;
const entry = createRequire(join(installed, 'package.json')).resolve('@kubernetes/client-node');
const k8s = await import(pathToFileURL(entry).href);

/** A check that takes longer hangs. */
const checkMsMax = 60_000;
const reconnectMs = 200;
const namespace = 'default';
const configMap = (name, value) => ({ metadata: { name, labels: { check: 'node' } }, data: { value } });
const service = (name) => ({
  apiVersion: 'ecsm.sh/v1',
  kind: 'ECSMService',
  metadata: { name, namespace },
  spec: {
    deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['node-1', 'node-2'] },
    template: { image: 'telemetry@1.0.0#sylixos' },
  },
});

const server = new Server(launcher, directory);
await server.start();
const config = new k8s.KubeConfig();
config.loadFromFile(server.kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);

const checks = {
  'creates, lists, patches and deletes typed objects': async () => {
    const created = await core.createNamespacedConfigMap({ namespace, body: configMap('typed', '1') });
    deepStrictEqual(created.metadata.creationTimestamp instanceof Date, true);
    const merge = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch);
    const body = { data: { value: '2' } };
    await core.patchNamespacedConfigMap({ name: 'typed', namespace, body }, merge);
    const operations = [{ op: 'add', path: '/data/more', value: '3' }];
    const json = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch);
    await core.patchNamespacedConfigMap({ name: 'typed', namespace, body: operations }, json);
    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'check=node' });
    deepStrictEqual(
      items.map(({ data }) => data),
      [{ value: '2', more: '3' }],
    );
    await core.deleteNamespacedConfigMap({ name: 'typed', namespace });
    await rejects(core.readNamespacedConfigMap({ name: 'typed', namespace }), { code: 404 });
  },

  'creates, lists, patches and deletes custom objects': async () => {
    const custom = config.makeApiClient(k8s.CustomObjectsApi);
    const kind = { group: 'ecsm.sh', version: 'v1', namespace, plural: 'ecsmservices' };
    await custom.createNamespacedCustomObject({ ...kind, body: service('custom') });
    const merge = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch);
    const body = { spec: { deploymentStrategy: { replicas: 3 } } };
    await custom.patchNamespacedCustomObject({ ...kind, name: 'custom', body }, merge);
    const { items } = await custom.listNamespacedCustomObject(kind);
    deepStrictEqual(
      items.map(({ metadata, spec }) => [metadata.name, spec.deploymentStrategy.replicas]),
      [['custom', 3]],
    );
    const refused = { ...kind, name: 'custom', body: { spec: { deploymentStrategy: { replicas: -1 } } } };
    await rejects(custom.patchNamespacedCustomObject(refused, merge), { code: 422 });
    await custom.deleteNamespacedCustomObject({ ...kind, name: 'custom' });
  },

  'applies objects on the server by discovery': async () => {
    const objects = k8s.KubernetesObjectApi.makeApiClient(config);
    const { ServerSideApply } = k8s.PatchStrategy;
    const apply = (object, force) => objects.patch(object, undefined, undefined, 'checks', force, ServerSideApply);
    await apply(service('applied'), false);
    const read = await objects.read(service('applied'));
    deepStrictEqual(read.metadata.managedFields[0].manager, 'checks');
    await objects.delete(service('applied'));
  },

  'an informer continues after the server was killed and started again': async () => {
    const seen = [];
    const list = () => core.listNamespacedConfigMap({ namespace });
    const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
    for (const event of ['add', 'update', 'delete']) {
      informer.on(event, ({ metadata }) => seen.push(`${event} ${metadata.name}`));
    }
    let isStopped = false;
    // Its documentation says so: the informer ends at an error, and the program starts it again.
    informer.on('error', async () => {
      await sleep(reconnectMs);
      if (!isStopped) await restart(informer);
    });
    await core.createNamespacedConfigMap({ namespace, body: configMap('kept', '1') });
    await core.createNamespacedConfigMap({ namespace, body: configMap('removed', '1') });
    await informer.start();
    await until(() => seen.includes('add kept') && seen.includes('add removed'), seen);
    await core.replaceNamespacedConfigMap({ name: 'kept', namespace, body: configMap('kept', '2') });
    await until(() => seen.includes('update kept'), seen);
    seen.length = 0;
    await server.kill();
    await server.start();
    await core.deleteNamespacedConfigMap({ name: 'removed', namespace });
    await core.createNamespacedConfigMap({ namespace, body: configMap('new', '1') });
    await until(() => seen.includes('delete removed') && seen.includes('add new'), seen);
    deepStrictEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ['kept', 'new'],
    );
    isStopped = true;
    await informer.stop();
  },
};

async function restart(informer) {
  try {
    await informer.start();
  } catch {
    await sleep(reconnectMs);
    await restart(informer);
  }
}

async function until(condition, state) {
  while (!condition()) {
    await sleep(20);
    if (performance.now() > deadlineMs) throw new Error(`timed out: ${state}`);
  }
}

let deadlineMs = 0;
let hasFailed = false;
for (const [name, check] of Object.entries(checks)) {
  deadlineMs = performance.now() + checkMsMax;
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    hasFailed = true;
    console.log(`FAILED ${name}: ${error instanceof Error ? error.message : error}`);
  }
}
await server.kill();
process.exit(hasFailed ? 1 : 0);
