/** Section 3 of the reference: deployment records, one for each creation and update. */
import { collect } from '@ecsm/client';
import { expect, it } from 'vitest';
import { firstPage, page } from './common-forms.kit.ts';
import { exactly } from './form.kit.ts';
import { recordRow, workerRecord } from './service-forms.kit.ts';
import { onEveryPlatform, type Site } from './site.kit.ts';
import { workerBody } from './worker.kit.ts';

/** The only record of a service that was just created. */
async function firstRecord(on: Site): Promise<string> {
  const { id } = await on.deployed();
  const [record] = await collect(on.ecsm.records().list(id));
  on.forget();
  return record?.id ?? expect.unreachable('there is no record');
}

onEveryPlatform('records', (site) => {
  it('GET /service/record: lists the deployments of a service', async () => {
    const on = site();
    const created = await on.deployed();
    const { id } = await on.ecsm.services().update({ ...workerBody, id: created.id, factor: 1 });
    on.forget();
    const records = await collect(on.ecsm.records().list(id));
    const data = on.saw('GET /service/record', { query: { ...firstPage, id }, data: page(recordRow(on.behaviour)) });
    expect(data).toMatchObject({ total: 2, list: records.map((record) => ({ id: record.id })) });
    expect(records).toMatchObject([
      { name: 'worker', command: ['/apps/worker -v'], nodeNames: ['node-1', 'node-2'], image: 'worker@1.0.0#sylixos' },
      { name: 'worker', command: ['/apps/worker -v'], nodeNames: ['node-1', 'node-2'], image: 'worker@1.0.0#sylixos' },
    ]);
  });

  it('GET /service/record/:id: returns one deployment with all fields', async () => {
    const on = site();
    const id = await firstRecord(on);
    const record = await on.ecsm.records().get(id);
    on.saw('GET /service/record/:id', { path: { id }, data: workerRecord(on.behaviour) });
    expect(record).toMatchObject({
      id,
      name: 'worker',
      action: 'run',
      policy: 'dynamic',
      factor: 2,
      config: workerBody.image.config,
      vsoa: workerBody.image.vsoa,
      image: { ref: 'worker@1.0.0#sylixos' },
      nodeNames: ['node-1', 'node-2'],
    });
    expect(record.command.join(' ')).toBe('/apps/worker -v');
  });

  it('DELETE /service/record: deletes one', async () => {
    const on = site();
    const id = await firstRecord(on);
    await on.ecsm.records().delete(id);
    on.saw('DELETE /service/record', { query: { id }, data: exactly('success') });
    await expect(on.ecsm.records().get(id)).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown('GET /service/record/:id', { path: { id }, http: 404, code: 31008 });
  });
});
