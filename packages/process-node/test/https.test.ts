/** Goal: a node and its controllers on our own API server over HTTPS, as a demonstration runs them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, Certificates } from '@ecsm/apiserver';
import { openKubernetesRegistry, type StatefulSet } from '@ecsm/kubernetes';
import { EmbeddedRegistry, type InputOf, MemoryStore, systemClock } from '@ecsm/runtime';
import { afterEach, expect, it } from 'vitest';
import { processNodeKinds } from '../src/index.ts';
import { cleanUp, pod, removeLater, startNode } from '../src/node/node.kit.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await cleanUp();
  for (const close of closing.splice(0)) await close();
});

async function openServed() {
  const directory = mkdtempSync(join(tmpdir(), 'process-node-tls-'));
  closing.push(async () => rmSync(directory, { recursive: true, force: true }));
  const stored = new EmbeddedRegistry({ store: new MemoryStore(), kinds: processNodeKinds });
  const server = 'https://127.0.0.1:6443';
  const certificates = new Certificates({ directory, names: ['127.0.0.1'], clock: systemClock, server });
  const certificateAuthority = join(directory, 'authority.pem');
  writeFileSync(certificateAuthority, certificates.authorityPem);
  const api = new ApiServer({ registry: stored, credentials: certificates.server });
  const { port } = await api.listen({ host: '127.0.0.1', port: 0 });
  const options = { kinds: processNodeKinds, env: {}, certificateAuthority };
  const registry = await openKubernetesRegistry(`https://127.0.0.1:${port}`, options);
  closing.unshift(async () => {
    await registry.close();
    await api.close();
    await stored.close();
  });
  return registry;
}

const set: InputOf<typeof StatefulSet> = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'OnDelete' },
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: pod({ args: ['serve', '/data/file'], volumeMounts: [{ name: 'data', mountPath: '/data' }] }).spec,
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};

it('a node on an API server runs, restarts, replaces and removes the pods of a StatefulSet', async () => {
  const test = await startNode({ registry: await openServed() });
  removeLater(test.node.directory);
  const ready = async () => (await test.sets.get('web')).status?.readyReplicas;
  await test.sets.create(set);
  await expect.poll(ready).toBe(2);
  writeFileSync(join((await test.node.volumeDirectory('data-web-0')) ?? '', 'file'), 'kept');

  test.node.kill('web-1');
  await expect.poll(() => test.container('web-1')).toMatchObject({ restartCount: 1, ready: true });

  const { uid } = (await test.pods.get('web-0')).metadata;
  await test.pods.delete('web-0');
  const replaced = async () => (await test.ready('web-0'))?.metadata.uid ?? uid;
  await expect.poll(replaced).not.toBe(uid);
  expect(await test.ask('web-0', '/')).toEqual(['kept']);

  await test.sets.patch('web', { spec: { replicas: 0 } });
  await expect.poll(async () => (await test.pods.list()).items).toEqual([]);
  expect(test.node.pods()).toEqual([]);
});
