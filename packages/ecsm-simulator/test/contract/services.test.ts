/**
 * Section 2 of the reference: services, one at a time and in batches, as the client and the simulated platform exchange them.
 */
import { collect } from '@ecsm/client';
import { expect, it } from 'vitest';
import { emptyPage, firstPage, nothing, page, transaction } from './common-forms.kit.ts';
import { exactly, object } from './form.kit.ts';
import { ids, serviceRow, workerDetail, written } from './service-forms.kit.ts';
import { deploymentMs, onEveryPlatform } from './site.kit.ts';
import { workerBody } from './worker.kit.ts';

onEveryPlatform('services', (site) => {
  it('POST /service: sends every field unchanged, and returns the ids to follow', async () => {
    const on = site();
    const { id, taskIds } = await on.ecsm.services().create(workerBody);
    expect(on.saw('POST /service', { body: workerBody, data: written })).toEqual({ id, containers: taskIds });
    expect(taskIds).toHaveLength(2);
  });

  it('POST /service: omits fields that are not set', async () => {
    const on = site();
    const body = {
      name: 'plain',
      image: { ref: 'worker@latest#sylixos', action: 'load', config: {} },
      node: { names: ['node-1'] },
    } as const;
    const { id } = await on.ecsm.services().create(body);
    on.saw('POST /service', { body, data: written });
    const { policy, image } = await on.ecsm.services().get(id);
    on.forget();
    expect({ policy, image }).toMatchObject({ policy: 'static', image: { action: 'load', pullPolicy: 'Always' } });
  });

  it('POST /service: a name that is taken is reported by its code', async () => {
    const on = site();
    await on.ecsm.services().create(workerBody);
    on.saw('POST /service', { body: workerBody, data: written });
    await expect(on.ecsm.services().create(workerBody)).rejects.toMatchObject({ code: 'AlreadyExists' });
    on.sawFailure('POST /service', { body: workerBody, http: 409, code: 31006 });
  });

  it('GET /service: filters by name, image, node and label, and shows every field', async () => {
    const on = site();
    const { id } = await on.deployed();
    const imageId = on.platform.imageByRef(workerBody.image.ref)?.id ?? '';
    const filter = { name: 'ork', imageId, nodeId: on.nodeId('node-1') };
    const rows = await collect(on.ecsm.services().list(filter));
    const query = { ...firstPage, name: 'ork', id: imageId, nodeId: on.nodeId('node-1') };
    const data = on.saw('GET /service', { query, data: page(serviceRow(on.behaviour)) });
    expect(data).toMatchObject({ list: rows, total: 1 });
    expect(rows).toMatchObject([
      {
        id,
        name: 'worker',
        status: 'complete',
        policy: 'dynamic',
        factor: 2,
        imageList: [{ name: 'worker', tag: '1.0.0', os: 'sylixos' }],
        containerStatusGroup: ['running'],
        instanceOnline: 2,
        errorInstance: [],
        pathLabel: '',
      },
    ]);
    expect(on.ecsm.timeOf(rows[0]?.createdTime)).toBe(1_767_225_600_000);
    expect(await collect(on.ecsm.services().list({ label: '/nowhere' }))).toEqual([]);
    on.saw('GET /service', { query: { ...firstPage, label: '/nowhere' }, data: emptyPage });
  });

  it('GET /service: returns the numbers of the page, and no rows past the end', async () => {
    const on = site();
    await on.deployed();
    expect(await on.ecsm.services().page(3, 10)).toMatchObject({ list: [], total: 1 });
    const query = { pageNum: '3', pageSize: '10' };
    on.saw('GET /service', { query, data: exactly({ list: [], total: 1, pageNum: 3, pageSize: 10 }) });
  });

  it('GET /service: lists the instances that could not be deployed', async () => {
    const on = site();
    on.platform.failDeployments({ service: 'worker', message: '磁盘已满', count: 1 });
    const { taskIds } = await on.deployed();
    const row = await on.ecsm.services().byName('worker');
    on.saw('GET /service', { query: { ...firstPage, name: 'worker' }, data: page(serviceRow(on.behaviour)) });
    expect(row?.errorInstance).toHaveLength(1);
    expect(row?.errorInstance?.[0]).toMatchObject({ message: '磁盘已满' });
    expect(taskIds).toContain(row?.errorInstance?.[0]?.containerId);
  });

  it('GET /service/:id: returns what was sent, with its state', async () => {
    const on = site();
    const { id } = await on.deployed();
    const detail = await on.ecsm.services().get(id);
    expect(on.saw('GET /service/:id', { path: { id }, data: workerDetail(on.behaviour) })).toEqual(detail);
    expect(detail).toMatchObject({ id, status: 'complete', healthy: true, instanceOnline: 2 });
  });

  it('GET /service/:id: an unknown one is an error, never an empty service', async () => {
    const on = site();
    const { id } = await on.deployed();
    await expect(on.ecsm.services().get('nobody')).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown('GET /service/:id', { path: { id: 'nobody' }, http: 404, code: 31004 });
    await on.ecsm.services().get(id);
    on.saw('GET /service/:id', { path: { id }, data: workerDetail(on.behaviour) });
  });

  it('PUT /service: replaces the whole service, without prepull, and returns its new id', async () => {
    const on = site();
    const { id } = await on.deployed();
    const { prepull: _, ...rest } = workerBody;
    const body = { ...rest, id, node: { names: ['node-1', 'node-2', 'node-3'] }, factor: 3 };
    const updated = await on.ecsm.services().update({ ...body, prepull: true });
    expect(on.saw('PUT /service', { body, data: written })).toEqual({ id: updated.id, containers: updated.taskIds });
    await on.pass(10 * deploymentMs);
    expect(await on.ecsm.services().get(updated.id)).toMatchObject({
      status: 'complete',
      factor: 3,
      instanceOnline: 3,
    });
    on.forget();
  });

  it('DELETE /service/:id: returns a transaction, and deletes the service later', async () => {
    const on = site();
    const { id } = await on.deployed();
    const deletion = await on.ecsm.services().delete(id);
    const data = on.saw('DELETE /service/:id', { path: { id }, data: object({ transactionId: 'uuid' }) });
    expect(data).toEqual({ transactionId: deletion.id });
    await on.pass(deploymentMs);
    expect(await on.ecsm.services().byName('worker')).toBeUndefined();
    on.forget();
  });

  it.each(['stop', 'start', 'pause', 'unpause', 'restart', 'destroy'] as const)(
    'POST /service/:action/ids: can %s several services',
    async (action) => {
      const on = site();
      const one = await on.deployed();
      const other = await on.deployed({ name: 'other' });
      const both = [one.id, other.id];
      expect(await on.ecsm.services().control(both, action)).toEqual(both);
      on.saw('POST /service/:action/ids', { path: { action }, body: { ids: both }, data: ids(on.behaviour, ...both) });
    },
  );

  it('POST /service/:action/ids: stopped services do not run, and are still listed', async () => {
    const on = site();
    const { id } = await on.deployed();
    await on.ecsm.services().control([id], 'stop');
    on.saw('POST /service/:action/ids', { path: { action: 'stop' }, body: { ids: [id] }, data: ids(on.behaviour, id) });
    await on.pass(deploymentMs);
    const detail = await on.ecsm.services().get(id);
    on.saw('GET /service/:id', { path: { id }, data: workerDetail(on.behaviour) });
    expect(detail).toMatchObject({ containerStatusGroup: ['exited'], instanceOnline: 0 });
  });

  it('PUT /service/deployment/restart: redeploys', async () => {
    const on = site();
    const { id } = await on.deployed();
    await on.ecsm.services().redeploy(id);
    on.saw('PUT /service/deployment/restart', { body: { id }, data: nothing });
    expect(await on.ecsm.services().get(id)).toMatchObject({ status: 'deploying' });
    await on.pass(deploymentMs);
    expect(await on.ecsm.services().get(id)).toMatchObject({ status: 'complete', instanceOnline: 2 });
    on.forget();
  });

  it('PUT /service/rollback: restores a record', async () => {
    const on = site();
    const created = await on.deployed();
    const { id } = await on.ecsm.services().update({ ...workerBody, id: created.id, factor: 1 });
    await on.pass(10 * deploymentMs);
    const [, first] = await collect(on.ecsm.records().list(id));
    const recordId = first?.id ?? '';
    on.forget();
    const { id: transactionId } = await on.ecsm.services().rollback(id, recordId);
    expect(on.saw('PUT /service/rollback', { body: { id, recordId }, data: transaction })).toMatchObject({
      id: transactionId,
    });
    await on.pass(10 * deploymentMs);
    expect(await on.ecsm.services().get(id)).toMatchObject({ factor: 2, instanceOnline: 2 });
    on.forget();
    const attempt = on.ecsm.services().rollback(id, 'never');
    // Some platforms answer a write to nothing with a success: then there is no transaction to follow.
    if (on.behaviour.unknownId === 'success') expect(await attempt).toEqual({});
    else await expect(attempt).rejects.toMatchObject({ code: 'Rejected' });
    on.sawUnknown('PUT /service/rollback', { body: { id, recordId: 'never' }, http: 404, code: 31008 });
  });

  it('GET /service/name/check: returns whether another service has the name', async () => {
    const on = site();
    const { id } = await on.deployed();
    expect(await on.ecsm.services().isNameTaken('worker')).toBe(true);
    on.saw('GET /service/name/check', { query: { name: 'worker' }, data: exactly(true) });
    expect(await on.ecsm.services().isNameTaken('worker', { exceptId: id })).toBe(false);
    on.saw('GET /service/name/check', { query: { name: 'worker', id }, data: exactly(false) });
  });

  it('GET /service/summary: counts services, and healthy ones', async () => {
    const on = site();
    const { taskIds } = await on.deployed();
    await on.deployed({ name: 'other' });
    for (const taskId of taskIds) on.platform.setContainerHealth(taskId, false);
    expect(await on.ecsm.services().summary()).toEqual({ total: 2, healthy: 1 });
    on.saw('GET /service/summary', { data: exactly({ total: 2, health: 1 }) });
  });

  it('PUT /service/container: acts on every container of a service', async () => {
    const on = site();
    const { id } = await on.deployed();
    const { id: transactionId, status } = await on.ecsm.services().controlContainers(id, 'pause');
    const data = on.saw('PUT /service/container', { body: { serviceId: id, action: 'pause' }, data: transaction });
    expect(data).toMatchObject({ id: transactionId, status });
    await on.pass(deploymentMs);
    expect(await on.ecsm.services().get(id)).toMatchObject({ containerStatusGroup: ['paused'] });
    on.forget();
  });
});
