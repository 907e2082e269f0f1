import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PersistentVolume, type StatefulSet } from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, listen, pod, removeLater, startNode } from './node.kit.ts';

afterEach(cleanUp);

const configMap = (data: Readonly<Record<string, string>>) => ConfigMap.input({ name: 'config' }, { data });
const encoded = (text: string) => Buffer.from(text).toString('base64');
const configVolume = { name: 'config', configMap: { name: 'config' } };

describe('environment variables', () => {
  it('come from values, fields of the pod, Secrets and ConfigMaps', async () => {
    const test = await startNode();
    await test.configMaps.create(configMap({ size: '7' }));
    await test.secrets.create(Secret.input({ name: 'token' }, { data: { value: encoded('s3cret') } }));
    await test.pods.create(
      pod({
        args: ['serve', '$(POD_NAME)', '$(UNKNOWN)'],
        env: [
          listen,
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'config', key: 'size' } } },
          { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'token', key: 'value' } } },
          { name: 'ABSENT', valueFrom: { secretKeyRef: { name: 'none', key: 'value', optional: true } } },
          { name: 'URL', value: 'http://$(POD_NAME):$(SIZE)' },
        ],
      }),
    );
    await expect.poll(() => test.ready('web')).toBeDefined();
    const { podIP } = (await test.status('web')) ?? {};
    expect(await test.ask('web', '/environment')).toMatchObject({
      POD_NAME: 'web',
      POD_IP: podIP,
      APP: 'web',
      SIZE: '7',
      TOKEN: 's3cret',
      URL: 'http://web:7',
      LISTEN: podIP,
      HOSTNAME: 'web',
    });
    expect(await test.ask('web', '/environment')).not.toHaveProperty('ABSENT');
    expect(await test.ask('web', '/arguments')).toEqual(['serve', 'web', '$(UNKNOWN)']);
  });

  it('that refer to a missing object hold the container until it exists', async () => {
    const test = await startNode();
    const env = [listen, { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'config', key: 'size' } } }];
    await test.pods.create(pod({ env }));
    const waiting = async () => (await test.container('web'))?.state?.waiting;
    await expect.poll(waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'ConfigMap "config" not found',
    });
    await test.configMaps.create(configMap({ size: '7' }));
    await expect.poll(() => test.ready('web')).toBeDefined();
    expect((await test.container('web'))?.restartCount).toBe(0);
  });
});

describe('files of ConfigMaps and Secrets', () => {
  it('hold the container until the object exists, and change while it runs', async () => {
    const test = await startNode();
    await test.pods.create(
      pod(
        {
          args: ['serve', '/etc/config/a', '/etc/config/b', '/etc/tls/key'],
          volumeMounts: [
            { name: 'config', mountPath: '/etc/config' },
            { name: 'tls', mountPath: '/etc/tls/' },
          ],
        },
        { volumes: [configVolume, { name: 'tls', secret: { secretName: 'tls' } }] },
      ),
    );
    const waiting = async () => (await test.container('web'))?.state?.waiting;
    await expect.poll(waiting).toMatchObject({ message: 'volume "config": ConfigMap "config" not found' });
    await test.configMaps.create(configMap({ a: '1' }));
    await test.secrets.create(Secret.input({ name: 'tls' }, { data: { key: encoded('one') } }));
    await expect.poll(() => test.ready('web')).toBeDefined();
    expect(await test.ask('web', '/')).toEqual(['1', '', 'one']);

    await test.configMaps.patch('config', { data: { a: null, b: '2' } });
    await test.secrets.patch('tls', { data: { key: encoded('two') } });
    await expect.poll(() => test.ask('web', '/')).toEqual(['', '2', 'two']);
    await test.configMaps.delete('config');
    test.node.kill('web');
    await expect.poll(async () => (await test.container('web'))?.restartCount).toBe(1);
    await expect.poll(() => test.ready('web')).toBeDefined();
    expect(await test.ask('web', '/')).toEqual(['', '2', 'two']);
  });

  it('have paths and addresses of the host in the text of a ConfigMap, and not in a Secret', async () => {
    const test = await startNode();
    const text = 'dir: /data/x, listen: http://0.0.0.0:1';
    await test.configMaps.create(configMap({ a: text }));
    await test.secrets.create(Secret.input({ name: 'tls' }, { data: { key: encoded(text) } }));
    await test.pods.create(
      pod(
        {
          args: ['serve', '/etc/config/file', '/etc/tls/key'],
          volumeMounts: [
            { name: 'config', mountPath: '/etc/config' },
            { name: 'tls', mountPath: '/etc/tls' },
            { name: 'data', mountPath: '/data' },
          ],
        },
        {
          volumes: [
            { name: 'config', configMap: { name: 'config', items: [{ key: 'a', path: 'file' }] } },
            { name: 'tls', secret: { secretName: 'tls' } },
            { name: 'data', emptyDir: {} },
          ],
        },
      ),
    );
    await expect.poll(() => test.ready('web')).toBeDefined();
    const [{ directory = '', address = '' } = {}] = test.node.pods();
    const rewritten = `dir: ${join(directory, 'volumes/data/x')}, listen: http://${address}:1`;
    expect(await test.ask('web', '/')).toEqual([rewritten, text]);
  });
});

describe('persistent volumes', () => {
  const set: InputOf<typeof StatefulSet> = {
    metadata: { name: 'web' },
    spec: {
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          ...pod({ args: ['serve', '/data/file'], volumeMounts: [{ name: 'data', mountPath: '/data' }] }).spec,
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };

  async function withData(options: Parameters<typeof startNode>[0] = {}) {
    const test = await startNode(options);
    await test.sets.create(set);
    await expect.poll(() => test.ready('web-0')).toBeDefined();
    writeFileSync(join((await test.node.volumeDirectory('data-web-0')) ?? '', 'file'), 'kept');
    const { uid } = (await test.pods.get('web-0')).metadata;
    const replaced = async () => {
      const found = await test.ready('web-0');
      return found !== undefined && found.metadata.uid !== uid;
    };
    return { ...test, replaced };
  }

  it('keep their content when the pod is replaced', async () => {
    const test = await withData();
    await test.pods.delete('web-0');
    await expect.poll(test.replaced).toBe(true);
    expect(await test.ask('web-0', '/')).toEqual(['kept']);
  });

  it('are new after claim and pod were deleted, and the old one is removed', async () => {
    const test = await withData();
    const volumes = join(test.node.directory, 'volumes');
    const [before = ''] = readdirSync(volumes);
    await test.claims.delete('data-web-0');
    expect((await test.claims.get('data-web-0')).metadata.deletionTimestamp).toBeDefined();
    expect(existsSync(join(volumes, before, 'file'))).toBe(true);
    await test.pods.delete('web-0');
    await expect.poll(test.replaced).toBe(true);
    expect(await test.ask('web-0', '/')).toEqual(['']);
    await expect.poll(() => existsSync(join(volumes, before))).toBe(false);
    expect((await test.registry.resource(PersistentVolume).list()).items).toHaveLength(1);
  });

  it('can be wiped', async () => {
    const test = await withData();
    await test.node.wipe('data-web-0');
    test.node.kill('web-0');
    await expect.poll(async () => (await test.container('web-0'))?.restartCount).toBe(1);
    await expect.poll(() => test.ready('web-0')).toBeDefined();
    expect(await test.ask('web-0', '/')).toEqual(['']);
    await test.node.wipe('missing');
  });

  it('outlive a restart of a node with a directory', async () => {
    const first = await withData();
    await first.stop();
    const directory = first.node.directory;
    removeLater(directory);
    expect(existsSync(directory)).toBe(false);
    const second = await startNode({ registry: first.registry, directory });
    await expect.poll(async () => (await second.container('web-0'))?.restartCount).toBe(1);
    expect(await second.container('web-0')).toMatchObject({
      lastState: { terminated: { reason: 'ContainerStatusUnknown' } },
    });
    await expect.poll(() => second.ready('web-0')).toBeDefined();
    const volume = (await second.node.volumeDirectory('data-web-0')) ?? '';
    writeFileSync(join(volume, 'file'), 'again');
    await second.stop();
    expect(readFileSync(join(volume, 'file'), 'utf8')).toBe('again');
    const third = await startNode({ registry: first.registry, directory });
    await expect.poll(async () => (await third.container('web-0'))?.restartCount).toBe(2);
    await expect.poll(() => third.ready('web-0')).toBeDefined();
    expect(await third.ask('web-0', '/')).toEqual(['again']);
  });
});
