/** Section 9.3 of the reference: services as seen over VSOA. */
import { collect } from '@ecsm/client';
import { expect, it } from 'vitest';
import { containerFields, firstPage, nothing, page } from './common-forms.kit.ts';
import { exactly, type Form, list, listOrNone, object, words } from './form.kit.ts';
import { onEveryPlatform } from './site.kit.ts';
import { gatewayBody, workerBody } from './worker.kit.ts';

const common = {
  id: 'uuid',
  name: 'text',
  imageName: 'text',
  healthInstance: 'count',
  instance: 'count',
  loadBalance: words('roundRobin', 'masterSlave'),
} as const satisfies Record<string, Form>;

const balanced = object({ master: 'boolean', id: 'uuid' });
const round = object({ ...common, boDynamic: 'boolean', loadBalanceDetail: listOrNone(balanced) });

onEveryPlatform('micro-services', (site) => {
  it('GET /micro-service: lists the services with VSOA, by name, image and node', async () => {
    const on = site();
    const { id, taskIds } = await on.deployed();
    await on.deployed(gatewayBody);
    on.platform.setContainerHealth(taskIds[0] ?? '', false);
    const imageId = on.platform.imageByRef(workerBody.image.ref)?.id ?? '';
    const nodeId = on.nodeId('node-1');
    const rows = await collect(on.ecsm.microServices().list({ name: 'work', imageId, nodeId }));
    const query = { ...firstPage, name: 'work', projectId: imageId, nodeId };
    expect(on.saw('GET /micro-service', { query, data: page(object(common)) })).toMatchObject({ list: rows, total: 1 });
    expect(rows).toEqual([
      { id, name: 'worker', imageName: 'worker', healthInstance: 1, instance: 2, loadBalance: 'roundRobin' },
    ]);
    expect((await collect(on.ecsm.microServices().list())).map(({ name }) => name)).toEqual(['worker']);
  });

  it('GET /micro-service/:id: shows its load balance', async () => {
    const on = site();
    const { id } = await on.deployed();
    const detail = await on.ecsm.microServices().get(id);
    expect(on.saw('GET /micro-service/:id', { path: { id }, data: round })).toEqual(detail);
    expect(detail).toMatchObject({ id, boDynamic: true, healthInstance: 2, loadBalance: 'roundRobin' });
  });

  it('PUT /micro-service: sets one container as the master, and none again', async () => {
    const on = site();
    const { id, taskIds } = await on.deployed();
    const loadBalanceDetail = taskIds.map((taskId, index) => ({ master: index === 1, id: taskId }));
    const body = { id, loadBalance: 'masterSlave', loadBalanceDetail } as const;
    await on.ecsm.microServices().setLoadBalance(id, { loadBalance: 'masterSlave', loadBalanceDetail });
    on.saw('PUT /micro-service', { body, data: nothing });
    const detail = await on.ecsm.microServices().get(id);
    const master = object({ ...common, boDynamic: exactly(true), loadBalanceDetail: list(balanced) });
    on.saw('GET /micro-service/:id', { path: { id }, data: master });
    expect(detail).toMatchObject({ loadBalance: 'masterSlave', loadBalanceDetail });
    await on.ecsm.microServices().setLoadBalance(id, { loadBalance: 'roundRobin' });
    on.saw('PUT /micro-service', { body: { id, loadBalance: 'roundRobin' }, data: nothing });
    expect(await on.ecsm.microServices().get(id)).toMatchObject({ loadBalance: 'roundRobin' });
  });

  it('GET /micro-service/instance: shows the address of each container, by id and by name', async () => {
    const on = site();
    const { id, taskIds } = await on.deployed();
    const instance = object({ ...containerFields(on.behaviour), ip: 'ip', vsoaPort: 'count' });
    const rows = await collect(on.ecsm.microServices().instances(id, { keyWord: 'worker' }));
    const query = { ...firstPage, id, keyWord: 'worker' };
    const data = on.saw('GET /micro-service/instance', { query, data: page(instance) });
    expect(data).toMatchObject({ list: rows, total: 2 });
    expect(rows.map(({ taskId }) => taskId).sort()).toEqual([...taskIds].sort());
    for (const { vsoaPort } of rows) expect(vsoaPort).toBeGreaterThan(0);
    expect(await collect(on.ecsm.microServices().instances('worker'))).toEqual(rows);
    on.saw('GET /micro-service/instance', { query: { ...firstPage, id: 'worker' }, data: page(instance) });
  });
});
