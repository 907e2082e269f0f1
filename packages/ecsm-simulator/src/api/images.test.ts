import { expect, test } from 'vitest';
import { Bench, failed, field, succeeded } from './api.kit.ts';

const createdTime = '2024-06-03T23:28:20.000000000Z';

function withRemotes(change = {}) {
  const bench = new Bench(change);
  const harbor = bench.platform.addRegistry({ name: 'harbor', address: '10.0.0.5:5000', standard: 'ecsm' });
  const oci = bench.platform.addRegistry({ name: 'hub', address: 'http://10.0.0.6:5000', standard: 'oci' });
  const push = (registryId: string, tag: string) =>
    bench.platform.pushImage({ name: 'camera', tag, os: 'sylixos', sizeBytes: 10 * 2 ** 20, registryId });
  return { bench, harbor, oci, one: push(harbor.id, '1.0.0'), two: push(oci.id, '2.0.0') };
}

test('a row of the list has every field', () => {
  const bench = new Bench();
  expect(bench.call('GET', '/image?registryId=local&pageNum=1&pageSize=10&name=GATE')).toEqual(
    succeeded({
      list: [
        {
          id: bench.gateway.id,
          name: 'gateway',
          tag: 'latest',
          os: 'linux',
          arch: 'x86-64',
          size: 0.01,
          author: 'Ada',
          createdTime,
          pulled: true,
          description: 'to the ground',
          ociVersion: 'v1',
        },
      ],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test('images are filtered by part of the name, by system and by author', () => {
  const bench = new Bench();
  const listed = (filter: string) => {
    const page = bench.data('GET', `/image?registryId=local&pageNum=1&pageSize=10&${filter}`);
    return [field(page, 'list')].flat().map((row) => field(row ?? null, 'name'));
  };
  expect(listed('')).toEqual(['telemetry', 'gateway']);
  expect(listed('os=SylixOS')).toEqual(['telemetry']);
  expect(listed('author=ad')).toEqual(['gateway']);
  expect(listed('author=x')).toEqual([]);
});

test('a list requires an existing registry', () => {
  const bench = new Bench();
  expect(bench.code('GET', '/image?pageNum=1&pageSize=10')).toBe(30001);
  expect(bench.call('GET', '/image?registryId=nothing&pageNum=1&pageSize=10')).toEqual(
    failed(35004, '仓库不存在: nothing'),
  );
});

test('an image alone has every field', () => {
  const bench = new Bench();
  const { id, config } = bench.telemetry;
  expect(bench.call('GET', `/registry/local/image/${id}`)).toEqual(
    succeeded({
      id,
      name: 'telemetry',
      path: 'http://127.0.0.1:5000/telemetry@1.0.0',
      os: 'sylixos',
      arch: 'arm64',
      createdTime,
      size: 3,
      author: null,
      rawConfig: JSON.stringify(config),
      config,
      ociVersion: '1.0.0',
      hostname: config['hostname'],
      tag: '1.0.0',
      pulled: true,
      delete: false,
    }),
  );
  expect(bench.code('GET', '/registry/local/image/nothing')).toBe(34004);
  expect(bench.code('GET', `/registry/nothing/image/${id}`)).toBe(35004);
});

test('an image is deleted', () => {
  const bench = new Bench();
  const path = `/registry/local/image/${bench.telemetry.id}`;
  expect(bench.call('DELETE', path)).toEqual(succeeded('success'));
  expect(bench.code('GET', path)).toBe(34004);
  expect(bench.code('DELETE', path)).toBe(34004);
});

test('the summary counts local and remote images', () => {
  expect(withRemotes().bench.call('GET', '/image/summary')).toEqual(succeeded({ local: 2, remote: 2 }));
});

test.each(['count', 'imageCount'] as const)(
  'registries are counted in %s, except those of the OCI standard',
  (name) => {
    const { bench, harbor } = withRemotes({ imageCountField: name });
    const remote = { registryId: harbor.id, registryName: 'harbor', status: true, standard: false };
    expect(bench.call('GET', '/image/count')).toEqual(
      succeeded([
        { registryId: 'local', registryName: '本地仓库', [name]: 2 },
        { ...remote, [name]: 1 },
      ]),
    );
    expect(bench.data('GET', '/image/count?os=linux')).toEqual([
      { registryId: 'local', registryName: '本地仓库', [name]: 1 },
      { ...remote, [name]: 0 },
    ]);
  },
);

test('the configuration of an image is found by its reference', () => {
  const bench = new Bench();
  expect(bench.call('GET', '/image/config?ref=telemetry@1.0.0%23sylixos')).toEqual(
    succeeded({ config: bench.telemetry.config }),
  );
  expect(bench.code('GET', '/image/config?ref=telemetry@9%23sylixos')).toBe(34004);
  expect(bench.code('GET', '/image/config')).toBe(30001);
});

test('a remote image is synchronised, with progress', () => {
  const { bench, harbor } = withRemotes({ pullBytesPerSecond: 2 ** 20 });
  const body = {
    registryId: harbor.id,
    imageName: 'camera',
    imageSize: 10,
    tag: '1.0.0',
    os: 'SylixOS',
    arch: 'arm64',
  };
  const reply = bench.data('POST', '/image/sync', body);
  expect(reply).toEqual({ syncId: field(reply, 'syncId') });
  const path = `/image/sync/${field(reply, 'syncId')}`;
  expect(bench.call('GET', path)).toEqual(succeeded({ progress: 0, status: 'starting' }));
  bench.pass(4_000);
  expect(bench.call('GET', path)).toEqual(succeeded({ progress: 40, status: 'running' }));
  bench.pass(6_000);
  expect(bench.call('GET', path)).toEqual(succeeded({ progress: 100, status: 'success' }));
  expect(bench.platform.imageByRef('camera@1.0.0#sylixos')).toBeDefined();
  expect(bench.code('POST', '/image/sync', { ...body, tag: '7' })).toBe(34004);
  expect(bench.code('POST', '/image/sync', { ...body, id: 'nothing' })).toBe(34004);
  expect(bench.code('POST', '/image/sync', { ...body, registryId: 'nothing' })).toBe(35004);
  expect(bench.code('GET', '/image/sync/nothing')).toBe(34004);
});

test('the tags of an image, and one of them in detail', () => {
  const { bench, oci } = withRemotes();
  const where = `registryId=${oci.id}&imageName=camera`;
  expect(bench.call('GET', `/image/tags?${where}`)).toEqual(succeeded([{ name: 'camera', tag: '2.0.0' }]));
  expect(bench.call('GET', `/image/tagDetail?${where}&tag=2.0.0`)).toEqual(
    succeeded({
      size: 10,
      os: 'sylixos',
      arch: 'arm64',
      createdTime,
      path: 'http://10.0.0.6:5000/camera@2.0.0',
      hostname: 'sylixos_ecs',
      pulled: false,
    }),
  );
  expect(bench.data('GET', `/image/tags?registryId=${oci.id}&imageName=cam`)).toEqual([]);
  expect(bench.code('GET', `/image/tagDetail?${where}&tag=7`)).toBe(34004);
  expect(bench.code('GET', `/image/tagDetail?${where}`)).toBe(30001);
});

test('the address of another registry is taken', () => {
  const { bench, harbor } = withRemotes();
  const path = '/registry/address/check?address=10.0.0.5:5000';
  expect(bench.call('GET', path)).toEqual(succeeded(true));
  expect(bench.call('GET', `${path}&id=${harbor.id}`)).toEqual(succeeded(false));
  expect(bench.call('GET', '/registry/address/check?address=10.0.0.7:5000')).toEqual(succeeded(false));
});
