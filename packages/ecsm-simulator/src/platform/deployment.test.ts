import { describe, expect, it } from 'vitest';
import { addNode, found, mebibyte, refusal, setUp, spec, startMs } from './platform.kit.ts';

const one = { nodeNames: ['n1'] };

describe('a deployment', () => {
  it('pulls the image as quickly as the link allows, then starts in 800 to 1200 ms', () => {
    const { platform, pass, only } = setUp();
    platform.createService(spec(one));
    pass(1_000 + 799);
    expect(only('worker').status).toBe('created');
    pass(401);
    expect(only('worker').status).toBe('running');
    expect(only('worker').startedMs).toBeGreaterThanOrEqual(startMs + 1_800);
  });

  it('does not pull an image that the node has', () => {
    const { platform, pass, containers } = setUp();
    platform.createService(spec(one));
    pass(5_000);
    platform.createService(spec({ ...one, name: 'second' }));
    pass(1_200);
    expect(containers('second')[0]?.status).toBe('running');
  });

  it('starts each container separately', () => {
    const { platform, pass, containers } = setUp();
    platform.createService(spec({ factor: 20 }));
    pass(5_000);
    expect(new Set(containers('worker').map(({ startedMs }) => startedMs)).size).toBeGreaterThan(10);
  });
});

describe('the pull policy', () => {
  /** The node has an old copy of an image whose content was replaced since. */
  function stale(pullPolicy: string, ref = 'worker@1.0.0#sylixos') {
    const world = setUp();
    const { platform, pass, node } = world;
    const { id } = platform.createService(spec({ ...one, image: { ref } }));
    pass(5_000);
    const [name = '', tag = ''] = ref.split(/[@#]/);
    const image = platform.pushImage({ name, tag, os: 'sylixos', sizeBytes: 10_000_000 });
    platform.updateService(id, spec({ ...one, image: { ref, pullPolicy, config: { another: true } } }));
    pass(5_000);
    expect(world.only('worker').status).toBe('running');
    return node('n1').images[image.id] === image.digest ? 'newest' : 'old';
  }

  it('IfNotPresent uses the local image, Always pulls a newer one, Never uses the local image', () => {
    expect([stale('IfNotPresent'), stale('Always'), stale('Never')]).toEqual(['old', 'newest', 'old']);
  });

  it('defaults to Always for latest, and IfNotPresent otherwise', () => {
    expect([stale('', 'worker@latest#sylixos'), stale('')]).toEqual(['newest', 'old']);
  });

  it('Never fails if the image is absent', () => {
    const { platform, pass, only } = setUp();
    platform.createService(spec({ ...one, image: { pullPolicy: 'Never' } }));
    expect(only('worker').deployStatus).toBe('deploying');
    pass(1_200);
    expect(only('worker')).toMatchObject({
      deployStatus: 'failure',
      status: 'created',
      failedMessage: '节点上没有镜像: worker@1.0.0#sylixos',
    });
  });

  it('Always does not pull an unchanged image', () => {
    const { platform, pass, containers } = setUp();
    platform.createService(spec(one));
    pass(5_000);
    platform.createService(spec({ ...one, name: 'second', image: { pullPolicy: 'Always' } }));
    pass(1_200);
    expect(containers('second')[0]?.status).toBe('running');
  });
});

describe('prepull', () => {
  it('brings the image to all listed nodes', () => {
    const { platform, pass, node } = setUp();
    const image = found(platform.imageByRef('worker@1.0.0#sylixos'));
    platform.cutNode(node('n3').id);
    platform.createService(spec({ factor: 1, prepull: true }));
    pass(1_000);
    expect(['n1', 'n2', 'n3'].map((name) => node(name).images[image.id])).toEqual([
      image.digest,
      image.digest,
      undefined,
    ]);
  });

  it('is done only if requested, and if there is disk space', () => {
    const { platform, pass, node } = setUp();
    const image = found(platform.imageByRef('worker@1.0.0#sylixos'));
    platform.fillNode(node('n2').id, { diskBytes: node('n2').diskTotalBytes });
    platform.createService(spec({ factor: 1, nodeNames: ['n1', 'n3'] }));
    platform.createService(spec({ name: 'pulled', factor: 0, prepull: true, nodeNames: ['n2'] }));
    pass(5_000);
    expect(['n1', 'n2', 'n3'].filter((name) => node(name).images[image.id] !== undefined)).toEqual(['n1']);
  });
});

describe('a deployment fails', () => {
  it('if configured: of one service, or of any, the configured number of times', () => {
    const { platform, pass, containers, only } = setUp();
    platform.failDeployments({ service: 'worker', message: 'no luck', count: 2 });
    platform.createService(spec({ factor: 3 }));
    platform.createService(spec({ name: 'other' }));
    pass(5_000);
    expect(
      containers('worker')
        .map(({ failedMessage }) => failedMessage)
        .sort(),
    ).toEqual([null, 'no luck', 'no luck'].sort());
    expect(only('other').status).toBe('running');
    platform.failDeployments({ count: 1 });
    platform.redeployService(only('other').serviceId);
    pass(5_000);
    expect(only('other')).toMatchObject({ deployStatus: 'failure', failedMessage: '部署失败' });
    expect(platform.snapshot().plannedFailures).toEqual([]);
    expect(refusal(() => platform.failDeployments({ count: 0 }))).toBe('badRequest');
  });

  it('if the node has less free memory than the limit of the container', () => {
    const { platform, pass, only, node } = setUp();
    const total = node('n1').memoryTotalBytes;
    platform.fillNode(node('n1').id, { memoryBytes: total - 63 * mebibyte });
    const { id } = platform.createService(spec(one));
    pass(5_000);
    expect(only('worker').failedMessage).toMatch(/^节点内存不足/);
    platform.fillNode(node('n1').id, { memoryBytes: total - 64 * mebibyte });
    platform.redeployService(id);
    pass(5_000);
    expect(only('worker').status).toBe('running');
  });

  it('if the node has almost no free memory and the container has no limit', () => {
    const { platform, pass, only, node } = setUp();
    const config = { sylixos: { resources: { memory: { memoryLimitMB: 0 } } } };
    platform.fillNode(node('n1').id, { memoryBytes: node('n1').memoryTotalBytes - 31 * mebibyte });
    platform.createService(spec({ ...one, image: { config } }));
    pass(5_000);
    expect(only('worker').failedMessage).toMatch(/^节点内存不足/);
    expect(only('worker').memoryLimitBytes).toBe(node('n1').memoryTotalBytes);
  });

  it('if the disk has no space for the image', () => {
    const { platform, pass, only, node } = setUp();
    platform.fillNode(node('n1').id, { diskBytes: node('n1').diskTotalBytes - 9_999_999 });
    platform.createService(spec(one));
    pass(5_000);
    expect(only('worker').failedMessage).toMatch(/^节点磁盘空间不足/);
    expect(node('n1').images).toEqual({});
  });

  it('not if newer content replaces older on a full disk', () => {
    const { platform, pass, only, node } = setUp();
    const { id } = platform.createService(spec({ ...one, image: { pullPolicy: 'Always' } }));
    pass(5_000);
    const image = platform.pushImage({ name: 'worker', tag: '1.0.0', os: 'sylixos', sizeBytes: 10_000_000 });
    platform.fillNode(node('n1').id, { diskBytes: node('n1').diskTotalBytes });
    platform.redeployService(id);
    pass(5_000);
    expect(only('worker').status).toBe('running');
    expect(node('n1').images[image.id]).toBe(image.digest);
  });

  it('if the image was deleted, after a timeout', () => {
    const { platform, pass, only } = setUp();
    const { id } = platform.createService(spec(one));
    pass(5_000);
    platform.deleteImage('local', platform.imageByRef('worker@1.0.0#sylixos')?.id ?? '');
    platform.redeployService(id);
    pass(29_999);
    expect(only('worker').deployStatus).toBe('deploying');
    pass(1);
    expect(only('worker').failedMessage).toBe('镜像ID不存在');
  });

  it('not if the image is pushed again in time', () => {
    const { platform, pass, only } = setUp();
    const { id } = platform.createService(spec(one));
    platform.deleteImage('local', platform.imageByRef('worker@1.0.0#sylixos')?.id ?? '');
    platform.redeployService(id);
    platform.pushImage({ name: 'worker', tag: '1.0.0', os: 'sylixos', sizeBytes: 1 });
    pass(40_000);
    expect(only('worker').status).toBe('running');
  });

  it('if the node has another operating system', () => {
    const { platform, pass, only, node } = setUp();
    const { id } = platform.createService(spec(one));
    pass(5_000);
    platform.setNodeTrueType(node('n1').id, 'linux');
    platform.refreshNodeTypes();
    platform.redeployService(id);
    pass(5_000);
    expect(only('worker').failedMessage).toBe('镜像与节点操作系统不匹配');
  });
});

describe('a deployment to an offline node', () => {
  it('waits until it is online', () => {
    const { platform, pass, only, node } = setUp({ behaviour: { offlineDeployment: 'wait' } });
    platform.cutNode(node('n1').id);
    platform.createService(spec({ ...one, policy: 'static' }));
    pass(3_600_000);
    expect(only('worker').deployStatus).toBe('deploying');
    platform.restoreNode(node('n1').id);
    pass(5_000);
    expect(only('worker').status).toBe('running');
  });

  it('fails after a delay by a switch, and not if the node returns before', () => {
    const { platform, pass, only, node } = setUp({ behaviour: { offlineDeployment: 'fail' } });
    platform.cutNode(node('n1').id);
    platform.createService(spec({ ...one, policy: 'static' }));
    platform.createService(spec({ name: 'second', nodeNames: ['n2'], policy: 'static' }));
    platform.cutNode(node('n2').id);
    pass(29_999);
    platform.restoreNode(node('n2').id);
    pass(5_000);
    expect(only('worker')).toMatchObject({ deployStatus: 'failure', failedMessage: '节点离线' });
    expect(only('second').status).toBe('running');
  });

  it('in progress when the node went offline restarts when it returns', () => {
    const { platform, pass, only, node } = setUp();
    platform.createService(spec({ ...one, policy: 'static' }));
    pass(1_500);
    platform.cutNode(node('n1').id);
    pass(60_000);
    expect(only('worker').deployStatus).toBe('deploying');
    platform.restoreNode(node('n1').id);
    pass(1_200);
    expect(only('worker').status).toBe('running');
  });
});

describe('the limits of a container', () => {
  it('come from the configuration, or are the defaults of SylixOS', () => {
    const { platform, only } = setUp();
    platform.createService(spec(one));
    expect(only('worker')).toMatchObject({ memoryLimitBytes: 64 * mebibyte, diskLimitBytes: 64 * mebibyte });
    platform.createService(spec({ ...one, name: 'plain', image: { config: {} } }));
    expect(only('plain')).toMatchObject({ memoryLimitBytes: 2048 * mebibyte, diskLimitBytes: 2048 * mebibyte });
  });

  it('on Linux are bytes, or the size of the node without limits', () => {
    const { platform, only, node } = setUp();
    addNode(platform, 'l1', 9, 'linux');
    const linux = (name: string, memory: number) =>
      platform.createService(
        spec({ name, nodeNames: ['l1'], image: { ref: 'gateway@1.0.0#linux', config: { memory } } }),
      );
    linux('limited', 5_000_000);
    linux('free', 0);
    expect(only('limited').memoryLimitBytes).toBe(5_000_000);
    expect(only('free').memoryLimitBytes).toBe(node('l1').memoryTotalBytes);
  });

  it('ignore invalid values', () => {
    const { platform, only } = setUp();
    const config = { sylixos: { resources: { memory: { memoryLimitMB: 'much' }, disk: [] } } };
    platform.createService(spec({ ...one, image: { config } }));
    expect(only('worker')).toMatchObject({ memoryLimitBytes: 2048 * mebibyte, diskLimitBytes: 2048 * mebibyte });
  });
});

describe('the VSOA port', () => {
  it('is allocated on each node if none is requested, and kept by redeployments', () => {
    const { platform, pass, containers } = setUp({ nodes: 1 });
    const { id } = platform.createService(spec({ ...one, factor: 3, image: { vsoa: { port: 0 } } }));
    const ports = () => containers('worker').map(({ vsoaPort }) => vsoaPort);
    expect(ports()).toEqual([30_000, 30_001, 30_002]);
    pass(5_000);
    platform.redeployService(id);
    expect(ports()).toEqual([30_000, 30_001, 30_002]);
    platform.createService(spec({ ...one, name: 'next', image: { vsoa: {} } }));
    expect(containers('next')[0]?.vsoaPort).toBe(30_003);
  });

  it('is the requested one, and none without VSOA', () => {
    const { platform, only } = setUp();
    platform.createService(spec({ ...one, image: { vsoa: { port: 4_001 } } }));
    platform.createService(spec({ ...one, name: 'plain' }));
    expect([only('worker').vsoaPort, only('plain').vsoaPort]).toEqual([4_001, null]);
  });
});
