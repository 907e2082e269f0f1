/** Section 6 of the reference: nodes, their registration and their state. */
import { collect, type NodeStatus } from '@ecsm/client';
import { expect, it } from 'vitest';
import type { Behaviour } from '../../src/platform/behaviour.ts';
import { firstPage, nothing, page, someTime } from './common-forms.kit.ts';
import { either, exactly, type Form, list, listOrNone, object, words } from './form.kit.ts';
import { onEveryPlatform } from './site.kit.ts';
import { gatewayBody } from './worker.kit.ts';

const type = words('linux', 'sylixos');
const status = words('online', 'offline');

const basic = {
  id: 'uuid',
  address: 'address',
  name: 'text',
  password: 'text',
  status,
  type,
  tls: 'boolean',
  createdTime: someTime,
  arch: 'text',
} as const satisfies Record<string, Form>;

const counts = {
  containerTotal: 'count',
  containerRunning: 'count',
  containerEcsmTotal: 'count',
  containerEcsmRunning: 'count',
} as const satisfies Record<string, Form>;

const { status: _, ...unchanging } = basic;
const nodeDetail = object({ ...unchanging, ecsdVersion: 'text' });

/** A row of the platform's database, where the address has two parts and a boolean is a number. */
const nodeRecord = object({
  id: 'uuid',
  ip: 'ip',
  port: 'count',
  name: 'text',
  password: 'text',
  tls: either(exactly(0), exactly(1)),
  type,
  createdTime: someTime,
  arch: 'text',
});

const usage = object({ total: 'percent', cores: listOrNone('percent'), measureTime: 'amount' });

/** For a node that is offline, a live platform gave a plain number as `cpuUsage`. */
function nodeStatus({ offlineCpuUsage }: Behaviour, isOnline: boolean): Form {
  return object({
    id: 'uuid',
    status: exactly(isOnline ? 'online' : 'offline'),
    memoryTotal: 'count',
    memoryFree: 'count',
    diskTotal: 'amount',
    diskFree: 'amount',
    cpuUsage: isOnline || offlineCpuUsage === 'object' ? usage : 'amount',
    uptime: 'amount',
    processCount: 'count',
    ...counts,
    net: listOrNone(object({ networkName: 'text', upNet: 'amount', downNet: 'amount' })),
    time: object({ current: 'count', uptime: 'amount', timezone: 'text', timezoneName: 'text', date: 'text' }),
  });
}

/** Without what the client adds. */
function onTheWire({ cpuPercent: _, diskTotalBytes: __, diskFreeBytes: ___, ...row }: NodeStatus) {
  return row;
}

const ground = { address: '10.9.9.9:1112', name: 'ground', password: 'secret' };

onEveryPlatform('nodes', (site) => {
  it('POST /node: registers a node', async () => {
    const on = site();
    await on.ecsm.nodes().create({ ...ground, tls: true });
    on.saw('POST /node', { body: { ...ground, tls: true }, data: nothing });
    expect(await on.ecsm.nodes().getByName('ground')).toMatchObject({ ...ground, tls: true });
  });

  it('PUT /node: changes a node, whose id is in the body', async () => {
    const on = site();
    const body = { id: on.nodeId('node-1'), ...ground, tls: false };
    await on.ecsm.nodes().update(body);
    on.saw('PUT /node', { body, data: nothing });
    expect(await on.ecsm.nodes().get(body.id)).toMatchObject(body);
  });

  it('DELETE /node: deletes nodes', async () => {
    const on = site();
    const ids = [on.nodeId('node-2'), on.nodeId('node-3')];
    expect(await on.ecsm.nodes().delete(ids)).toEqual([]);
    on.saw('DELETE /node', { body: { ids }, data: exactly('success') });
    const rows = await collect(on.ecsm.nodes().list());
    expect(rows.map(({ name }) => name)).toEqual(['node-1', 'node-4']);
  });

  it('DELETE /node: names the services that use a node, and deletes none', async () => {
    const on = site();
    const { id: serviceId } = await on.deployed(gatewayBody);
    const id = on.nodeId('node-4');
    const conflicts = await on.ecsm.nodes().delete([id]);
    const form = list(object({ id: 'uuid', name: 'text', serves: list(object({ id: 'uuid', name: 'text' })) }));
    expect(on.saw('DELETE /node', { body: { ids: [id] }, data: form })).toEqual(conflicts);
    expect(conflicts).toEqual([{ id, name: 'node-4', serves: [{ id: serviceId, name: 'gateway' }] }]);
  });

  it('GET /node: lists nodes with their containers', async () => {
    const on = site();
    await on.deployed(gatewayBody);
    const rows = await collect(on.ecsm.nodes().list({ name: 'NODE-4' }));
    const data = on.saw('GET /node', {
      query: { ...firstPage, name: 'NODE-4' },
      data: page(object({ ...basic, ...counts, upTime: 'amount' })),
    });
    expect(data).toMatchObject({ list: rows, total: 1 });
    expect(rows).toMatchObject([
      { name: 'node-4', status: 'online', type: 'linux', tls: false, containerEcsmTotal: 1, containerEcsmRunning: 1 },
    ]);
  });

  it('GET /node: lists nodes without live data', async () => {
    const on = site();
    const rows = await collect(on.ecsm.nodes().listBasic());
    const data = on.saw('GET /node', { query: { ...firstPage, basicInfo: 'true' }, data: page(object(basic)) });
    expect(data).toMatchObject({ list: rows, total: 4 });
    expect(rows.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
  });

  it('GET /node/:id: shows one node', async () => {
    const on = site();
    const id = on.nodeId('node-4');
    const node = await on.ecsm.nodes().get(id);
    expect(on.saw('GET /node/:id', { path: { id }, data: nodeDetail })).toEqual(node);
    expect(node).toMatchObject({ id, name: 'node-4', tls: false, type: 'linux', arch: 'x86-64' });
    await expect(on.ecsm.nodes().get('nobody')).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown('GET /node/:id', { path: { id: 'nobody' }, http: 404, code: 33004 });
  });

  it('GET /node/name/:name: returns the row of the database, which the client converts to a node', async () => {
    const on = site();
    await on.ecsm.nodes().create({ ...ground, tls: true });
    on.forget();
    const node = await on.ecsm.nodes().getByName('ground');
    const data = on.saw('GET /node/name/:name', { path: { name: 'ground' }, data: nodeRecord });
    expect(data).toMatchObject({ ip: '10.9.9.9', port: 1112, tls: 1 });
    expect(node).toMatchObject({ ...ground, tls: true, id: on.nodeId('ground') });
  });

  it('GET /node/name/check: returns whether another node has the name', async () => {
    const on = site();
    expect(await on.ecsm.nodes().isNameTaken('node-1')).toBe(true);
    on.saw('GET /node/name/check', { query: { name: 'node-1' }, data: exactly(true) });
    const id = on.nodeId('node-1');
    expect(await on.ecsm.nodes().isNameTaken('node-1', { exceptId: id })).toBe(false);
    on.saw('GET /node/name/check', { query: { name: 'node-1', id }, data: exactly(false) });
  });

  it('GET /node/address/check: returns whether another node has the address', async () => {
    const on = site();
    const address = (await on.ecsm.nodes().get(on.nodeId('node-1'))).address ?? '';
    on.forget();
    expect(await on.ecsm.nodes().isAddressTaken(address, { tls: true })).toBe(true);
    on.saw('GET /node/address/check', { query: { address, tls: 'true' }, data: exactly(true) });
    const id = on.nodeId('node-1');
    expect(await on.ecsm.nodes().isAddressTaken(address, { exceptId: id })).toBe(false);
    on.saw('GET /node/address/check', { query: { address, id }, data: exactly(false) });
  });

  it('GET /node/status: returns the usage of several nodes', async () => {
    const on = site();
    const ids = [on.nodeId('node-1'), on.nodeId('node-4')];
    const measured = await on.ecsm.nodes().status(ids);
    const form = object({ nodes: list(nodeStatus(on.behaviour, true)) });
    const data = on.saw('GET /node/status', { query: { ids }, data: form });
    expect(data).toMatchObject({ nodes: measured.map(onTheWire) });
    expect(measured.map(({ id }) => id)).toEqual(ids);
    for (const { id, status, cpuPercent, memoryFree, memoryTotal, diskTotalBytes, diskFreeBytes } of measured) {
      expect(status).toBe('online');
      const node = on.platform.node(id) ?? expect.unreachable();
      expect([diskTotalBytes, diskFreeBytes]).toEqual([
        node.diskTotalBytes,
        on.platform.usageOfNode(node).diskFreeBytes,
      ]);
      expect(cpuPercent).toBeGreaterThan(0);
      expect(Number(memoryFree)).toBeLessThan(Number(memoryTotal));
    }
  });

  it('GET /node/status: returns no usage of an offline node', async () => {
    const on = site();
    const id = on.nodeId('node-1');
    on.platform.cutNode(id);
    const measured = await on.ecsm.nodes().status([id]);
    on.saw('GET /node/status', {
      query: { ids: [id] },
      data: object({ nodes: list(nodeStatus(on.behaviour, false)) }),
    });
    expect(measured).toMatchObject([{ id, status: 'offline', cpuPercent: 0 }]);
  });

  it('GET /node/type/check: lists the nodes whose type changed', async () => {
    const on = site();
    const id = on.nodeId('node-1');
    on.platform.setNodeTrueType(id, 'linux');
    const changes = await on.ecsm.nodes().typeChanges();
    const form = list(object({ id: 'uuid', ip: 'ip', port: 'count', name: 'text', type, newType: type }));
    expect(on.saw('GET /node/type/check', { data: form })).toEqual(changes);
    expect(changes).toMatchObject([{ id, name: 'node-1', type: 'sylixos', newType: 'linux' }]);
  });

  it('PUT /node/type: refreshes the types of all nodes', async () => {
    const on = site();
    on.platform.setNodeTrueType(on.nodeId('node-1'), 'linux');
    await on.ecsm.nodes().refreshTypes();
    on.saw('PUT /node/type', { data: nothing });
    expect(await on.ecsm.nodes().typeChanges()).toEqual([]);
    expect(await on.ecsm.nodes().get(on.nodeId('node-1'))).toMatchObject({ type: 'linux' });
  });
});
