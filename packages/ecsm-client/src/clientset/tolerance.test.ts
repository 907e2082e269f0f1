/**
 * Goal: no shape that the platform is known or suspected to give is refused. Method: the variants that the sources
 * disagree about, one by one, and then rows of which every field that nothing relies on is null.
 */
import { describe, expect, it } from 'vitest';
import { collect } from './pages.ts';
import { container, node, onePage, pageFrom, scripted, service } from './scripted.kit.ts';

const answering = (data: unknown) => scripted(() => data).ecsm;

describe('services', () => {
  it.each([
    { errorInstance: null },
    { errorInstance: [] },
    { errorInstance: [{ containerId: 'c', nodeId: 'n', nodeName: 'a', status: 'false', message: '镜像ID不存在' }] },
    { errorInstance: [{ status: false, message: null }] },
    { instanceActive: 2, instanceOnline: 0 },
    { instanceOnline: null, factor: null, nodeList: null, imageList: null, containerStatusGroup: null },
    { containerStatusGroup: ['running', null] },
    { nodeList: [{ nodeId: 'n', nodeName: 'a', address: '10.0.0.1:1112' }, {}] },
    { defaultLabels: ['a', { b: 1 }], pathLabel: null },
    { status: 'an undocumented word', policy: 'another' },
  ])('%j in a list', async (more) => {
    const row = service('s', { ...more, surprise: { kept: true } });
    expect(await collect(answering(onePage(row)).services().list())).toEqual([row]);
  });

  it.each([
    { healthy: true, image: null, node: null },
    { healthy: 1, image: { ref: 'a@1#linux', config: null, vsoa: null }, node: { names: null } },
    { image: { config: { sylixos: { devices: null } }, vsoa: { port: '0', password: 'x', livenessProbe: 0 } } },
  ])('%j in a detail', async (more) => {
    const row = service('s', more);
    expect(await answering(row).services().get('s')).toEqual(row);
  });

  it.each<[unknown, readonly string[]]>([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [{ ids: ['a', 'b'] }, ['a', 'b']],
    [{ ids: null }, []],
    [null, []],
    ['success', []],
  ])('%j after control', async (data, ids) => {
    expect(await answering(data).services().control(['a', 'b'], 'stop')).toEqual(ids);
    expect(await answering(data).services().controlPath('/a', 'stop')).toEqual(ids);
  });

  it('results of deployments under both spellings', async () => {
    const data = [
      { provisionTmplId: 't1', result: 'created', provisionId: 's', tasks: [{ id: 'c' }], error: null },
      { provisionTmpld: 't2', result: 'failed', provisionId: null, tasks: null, error: '镜像ID不存在' },
    ];
    const results = [
      { templateId: 't1', result: 'created', serviceId: 's', taskIds: ['c'] },
      { templateId: 't2', result: 'failed', taskIds: [], error: '镜像ID不存在' },
    ];
    expect(await answering(data).services().deployTemplates(['t1', 't2'], 'run')).toEqual(results);
    expect(await answering(data).services().deployPaths(['/a'], 'run')).toEqual(results);
    expect(await answering(null).services().deployPaths(['/a'], 'run')).toEqual([]);
    // The form that another client of the platform expects.
    expect(
      await answering([{ id: 's', containers: ['c'] }])
        .services()
        .deployPaths(['/a'], 'run'),
    ).toEqual([{ result: 'deployed', serviceId: 's', taskIds: ['c'] }]);
  });

  it('accepts transactions in several forms', async () => {
    const whole = { id: 'x', status: 'running', data: { any: 1 }, timestamp: 5 };
    expect(await answering(whole).services().rollback('s', 'r')).toEqual({ id: 'x', status: 'running' });
    expect(await answering({ transactionId: 'x' }).services().delete('s')).toEqual({ id: 'x' });
    for (const data of [null, 'success', [], 5]) {
      expect(await answering(data).containers().control('c', 'stop')).toEqual({});
      expect(await answering(data).services().controlContainers('s', 'stop')).toEqual({});
      expect(await answering(data).services().delete('s')).toEqual({});
    }
  });

  it('accepts an update response with or without data', async () => {
    const image = { ref: 'a@1#linux', action: 'run', config: {} } as const;
    const body = { id: 's', name: 'a', image, node: { names: ['n'] } };
    const update = (data: unknown) => answering(data).services().update(body);
    expect(await update({ id: 'other', containers: ['t'] })).toEqual({ id: 'other', taskIds: ['t'] });
    expect(await update({ id: 's', containers: null })).toEqual({ id: 's', taskIds: [] });
    expect(await update(null)).toEqual({ id: 's', taskIds: [] });
    expect(await update('success')).toEqual({ id: 's', taskIds: [] });
  });

  it('the result of a deletion by path, service by service', async () => {
    const data = [{ provisionId: 's', result: 'ok', transactionId: 'x', error: null }, { result: 'failed' }];
    expect(await answering(data).services().deletePath('/a')).toEqual(data);
    expect(await answering(null).services().deletePath('/a')).toEqual([]);
  });
});

describe('an unknown id', () => {
  it.each([null, 'success'])('is NotFound if the data is %j', async (data) => {
    const ecsm = answering(data);
    await expect(ecsm.services().get('s')).rejects.toMatchObject({
      code: 'NotFound',
      message: 'service "s" not found',
    });
    await expect(ecsm.containers().get('t')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ecsm.nodes().get('n')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ecsm.nodes().getByName('n')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ecsm.records().get('r')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ecsm.images().get('i')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ecsm.overview().nodeView('n')).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('containers', () => {
  it.each([
    { status: null },
    { failedMessage: null },
    { failedMessage: 'no space', deployStatus: 'failure', id: null },
    { cpuUsage: 0 },
    { cpuUsage: null },
    { cpuUsage: { total: 12.5, cores: [10, 15] } },
    { cpuUsage: { total: '12.5', cores: null } },
    { uptime: null, restartCnt: null, memoryUsage: null, sizeLimit: null },
  ])('%j', async (more) => {
    const row = container('t', more);
    expect(await answering(row).containers().get('t')).toEqual(row);
    expect(await collect(answering(onePage(row)).containers().ofServices(['s']))).toEqual([row]);
  });

  it('a history with times of either type', async () => {
    const rows = [{ id: 't', cmd: 'stop', user: null, time: 5 }, { id: 't', time: '2024-06-03 23:28:20' }, {}];
    expect(
      await collect(
        answering(onePage(...rows))
          .containers()
          .history('t'),
      ),
    ).toEqual(rows);
  });
});

describe('nodes', () => {
  it.each([
    ['an object', { total: 12.5, cores: [1], measureTime: 5 }, 12.5],
    ['text', { total: '12.5' }, 12.5],
    ['a number, as of a node that is offline', 0, 0],
    ['null', null, undefined],
    ['an object without a total', {}, undefined],
  ])('CPU usage that is %s', async (_, cpuUsage, cpuPercent) => {
    const [status] = await answering({ nodes: [{ id: 'n', status: 'offline', cpuUsage }] })
      .nodes()
      .status(['n']);
    expect(status?.cpuPercent).toBe(cpuPercent);
    expect(status?.cpuUsage).toEqual(cpuUsage);
  });

  it.each([
    ['MB', 65_536, 1024.5, [2 ** 36, 1024.5 * 2 ** 20]],
    ['MB up to 16 TiB', 2 ** 24 - 1, 0, [(2 ** 24 - 1) * 2 ** 20, 0]],
    ['bytes', 2 ** 36, 1024, [2 ** 36, 1024]],
    ['text', '65536', '1', [2 ** 36, 2 ** 20]],
    ['null', null, 5, [undefined, undefined]],
    ['a total alone', 65_536, null, [2 ** 36, undefined]],
  ])('a disk in %s', async (_, diskTotal, diskFree, bytes) => {
    const row = { id: 'n', status: 'online', diskTotal, diskFree };
    const [status] = await answering({ nodes: [row] })
      .nodes()
      .status(['n']);
    expect([status?.diskTotalBytes, status?.diskFreeBytes]).toEqual(bytes);
  });

  it('a status with only null fields', async () => {
    const row = { id: 'n', status: 'offline', memoryTotal: null, diskFree: null, net: null, time: null, uptime: null };
    expect(
      await answering({ nodes: [row] })
        .nodes()
        .status(['n']),
    ).toEqual([row]);
    expect(await answering({ nodes: null }).nodes().status(['n'])).toEqual([]);
  });

  it.each([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
    [null, false],
    [undefined, false],
  ])('TLS as %j', async (tls, expected) => {
    const row = { ...node('n'), tls };
    expect((await answering(row).nodes().get('n')).tls).toBe(expected);
    expect((await answering(row).nodes().getByName('n')).tls).toBe(expected);
    expect((await answering(row).overview().nodeView('n')).tls).toBe(expected);
    expect(await collect(answering(onePage(row)).nodes().list())).toHaveLength(1);
  });

  it('an address in one part or two', async () => {
    const parts = { id: 'n', name: 'a', ip: '10.0.0.1', port: 1112 };
    expect(await answering(parts).nodes().getByName('a')).toMatchObject({ address: '10.0.0.1:1112' });
    const whole = { id: 'n', name: 'a', address: '10.0.0.1:1112' };
    expect(await answering(whole).nodes().getByName('a')).toMatchObject({ address: '10.0.0.1:1112' });
    expect(await answering({ id: 'n', name: 'a' }).nodes().getByName('a')).toMatchObject({ address: null });
  });

  it('conflicts of a deletion, or success', async () => {
    const conflicts = [{ id: 'n', name: 'a', serves: [{ id: 's', name: 'b' }] }];
    expect(await answering(conflicts).nodes().delete(['n'])).toEqual(conflicts);
    expect(await answering('success').nodes().delete(['n'])).toEqual([]);
    expect(await answering(null).nodes().delete(['n'])).toEqual([]);
  });

  it('basic rows without a status', async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom([{ id: 'n', name: 'a' }], seen));
    expect(await collect(ecsm.nodes().listBasic())).toEqual([{ id: 'n', name: 'a' }]);
    expect(requests[0]?.query.get('basicInfo')).toBe('true');
  });
});

describe('records', () => {
  it.each([
    [{ cmd: '/apps/worker' }, ['/apps/worker'], []],
    [{ cmd: ['/apps/worker', '-v'] }, ['/apps/worker', '-v'], []],
    [{ cmd: null, node: { names: ['a'] } }, [], ['a']],
    [{ cmd: '', nodeList: [{ nodeId: 'n', nodeName: 'a', address: 'x' }] }, [], ['a']],
    [{ node: null, nodeList: null, image: 'a@1#linux' }, [], []],
    [{ node: { names: null }, image: { id: 'i', ref: 'a@1#linux' } }, [], []],
  ])('%j', async (more, command, nodeNames) => {
    const row = { id: 'r', ...more };
    const expected = { ...row, command, nodeNames };
    expect(await collect(answering(onePage(row)).records().list('s'))).toEqual([expected]);
    // A detail does not repeat its id.
    expect(await answering(more).records().get('r')).toEqual(expected);
  });
});

describe('images', () => {
  it.each([
    [{ imageCount: 3 }, 3],
    [{ count: 3, status: true, standard: 'oci' }, 3],
    [{ count: 3, status: 'online', standard: false }, 3],
    [{ count: '3' }, 3],
    [{}, 0],
  ])('counted as %j', async (more, count) => {
    const data = [{ registryId: 'local', registryName: '本地仓库', ...more }];
    expect(await answering(data).images().counts()).toEqual([{ registryId: 'local', registryName: '本地仓库', count }]);
  });

  it('rows and details with only the required fields', async () => {
    const row = { id: 'i', name: 'a', author: null, size: 0.01, pulled: 1, config: null, tag: null };
    expect(await answering(row).images().get('i')).toEqual(row);
    expect(await collect(answering(onePage(row)).images().list())).toEqual([row]);
  });

  it('progress in numbers, text, or not at all', async () => {
    const progress = (data: unknown) => answering(data).images().syncProgress('x');
    expect(await progress({ progress: 50, status: 'running' })).toEqual({ percent: 50, status: 'running' });
    expect(await progress({ progress: '50%', status: null })).toEqual({ percent: 50 });
    expect(await answering({}).images().uploadProgress('x')).toEqual({});
  });
});

describe('the overview', () => {
  it.each([
    ['12.5', 12.5],
    ['12.5%', 12.5],
    [12.5, 12.5],
    [null, undefined],
    ['', undefined],
    ['NaN', undefined],
  ])('a percentage written as %j', async (percent, expected) => {
    const rows = [{ timestamp: 5, cpu: { percent }, ram: { percent, size: 5 }, rom: null, process: null }];
    const [sample] = await answering(rows).overview().nodeMetrics('n');
    expect([sample?.cpuPercent, sample?.ramPercent, sample?.romPercent]).toEqual([expected, expected, undefined]);
  });

  it("a node view as in the vendor's documentation", async () => {
    const child = { id: 's', name: 'a', type: 'service', status: 'complete', health: true };
    const one = { id: 'c', name: 'c', node_id: 'n', pro_id: 'p', type: 'container', status: 'stop', config: '{}' };
    const view = { ...node('n'), ip: '10.0.0.1', port: 1112, tls: 0, children: [{ ...one, children: [child] }] };
    expect(await answering(view).overview().nodeView('n')).toEqual({ ...view, tls: false });
  });
});

describe('templates and micro-services', () => {
  it('a tree as its root, as a list, or not at all', async () => {
    const root = { id: 't', name: 'a', path: '/a', children: [{ id: 'u' }] };
    expect(await answering(root).templates().tree()).toEqual([root]);
    expect(await answering([root]).templates().tree()).toEqual([root]);
    expect(await answering(null).templates().search({ key: 'a' })).toEqual([]);
  });

  it('a tree with the children by name', async () => {
    const leaf = { name: 'b', realpath: '/a/b', childCount: 0, data: null, children: {} };
    const root = { name: 'a', realpath: '/a', childCount: 1, data: null, children: { b: leaf } };
    expect(await answering(root).templates().tree({ path: '/a' })).toEqual([root]);
  });

  it('a master flag as text', async () => {
    const detail = {
      id: 'm',
      name: 'a',
      loadBalanceDetail: [
        { master: 'true', id: 't' },
        { master: false, id: 'u' },
      ],
    };
    expect(await answering(detail).microServices().get('m')).toEqual(detail);
  });

  it('an update with a deployment and without', async () => {
    const update = (data: unknown) => answering(data).templates().update('t', {});
    expect(await update({ id: 't', deployResult: [{ result: 'updated' }] })).toEqual([{ result: 'updated' }]);
    expect(await update({ id: 't', deployResult: null })).toBeUndefined();
    expect(await update(null)).toBeUndefined();
  });

  it('instances identified by either id, or by neither', async () => {
    const rows = [{ taskId: 'a', vsoaPort: 3001 }, { id: 'b', vsoaPort: '3002' }, { ip: '10.0.0.1' }, { id: null }];
    expect(
      await collect(
        answering(onePage(...rows))
          .microServices()
          .instances('m'),
      ),
    ).toEqual(rows);
  });
});
