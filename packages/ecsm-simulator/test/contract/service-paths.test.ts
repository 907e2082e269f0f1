/** Sections 2.7 to 2.9 of the reference: services that come from templates, and are meant by their path. */
import { expect, it } from 'vitest';
import { deployResult } from './common-forms.kit.ts';
import { exactly, list, object } from './form.kit.ts';
import { ids } from './service-forms.kit.ts';
import { onEveryPlatform, type Site } from './site.kit.ts';

const folder = '/sat/one';

/** A template that can be deployed, and its id. */
async function template(on: Site): Promise<string> {
  const [made] = await on.ecsm.templates().createFromImages(['telemetry@1.0.0#sylixos'], folder);
  const id = made?.id ?? '';
  await on.ecsm.templates().update(id, { templates: { node: { names: ['node-1'] } } });
  on.forget();
  return id;
}

onEveryPlatform('services by path', (site) => {
  it('POST /service/:action/templates-path-label: deploys all templates under a path', async () => {
    const on = site();
    const templateId = await template(on);
    const hasResults = on.behaviour.templateDeployment === 'results';
    const [result, ...more] = await on.ecsm.services().deployPaths([folder], 'run', { force: true });
    const data = on.saw('POST /service/:action/templates-path-label', {
      path: { action: 'run' },
      body: { paths: [folder], force: true },
      data: list(hasResults ? deployResult(on.behaviour) : object({ id: 'uuid', containers: list('uuid') })),
    });
    const id = result?.serviceId;
    expect(data).toMatchObject([hasResults ? { result: 'created', provisionId: id, error: null } : { id }]);
    expect(more).toEqual([]);
    expect(result).toMatchObject(hasResults ? { templateId, result: 'created' } : { result: 'deployed' });
    expect(result?.taskIds).toHaveLength(1);
    expect(await on.ecsm.services().byName('telemetry')).toMatchObject({ id: result?.serviceId, pathLabel: folder });
  });

  it('POST /service/:action/templates-ids: deploys templates, and updates a service of that name', async () => {
    const on = site();
    const id = await template(on);
    const expected = { path: { action: 'load' }, body: { ids: [id] }, data: list(deployResult(on.behaviour)) };
    expect(await on.ecsm.services().deployTemplates([id], 'load')).toMatchObject([
      { templateId: id, result: 'created' },
    ]);
    on.saw('POST /service/:action/templates-ids', expected);
    await on.ecsm.templates().update(id, { templates: { node: { names: ['node-1', 'node-2'] } } });
    on.forget();
    expect(await on.ecsm.services().deployTemplates([id], 'load')).toMatchObject([
      { templateId: id, result: 'updated' },
    ]);
    on.saw('POST /service/:action/templates-ids', expected);
  });

  it('POST /service/:action/templates-ids: returns the error of each, and omits unknown ids', async () => {
    const on = site();
    const id = await template(on);
    const image = on.platform.imageByRef('telemetry@1.0.0#sylixos');
    on.platform.deleteImage('local', image?.id ?? '');
    const [result] = await on.ecsm.services().deployTemplates([id], 'run');
    on.saw('POST /service/:action/templates-ids', {
      path: { action: 'run' },
      body: { ids: [id] },
      data: list(deployResult(on.behaviour)),
    });
    expect(result).toEqual({ templateId: id, result: 'failed', taskIds: [], error: '镜像ID不存在' });
    expect(await on.ecsm.services().deployTemplates(['nobody'], 'run')).toEqual([]);
    on.saw('POST /service/:action/templates-ids', {
      path: { action: 'run' },
      body: { ids: ['nobody'] },
      data: exactly([]),
    });
  });

  it('POST /service/:action/path-label: acts on the services under a path', async () => {
    const on = site();
    await template(on);
    const [result] = await on.ecsm.services().deployPaths([folder], 'run');
    const id = result?.serviceId ?? '';
    await on.deployed();
    expect(await on.ecsm.services().controlPath('/sat', 'stop')).toEqual([id]);
    on.saw('POST /service/:action/path-label', {
      path: { action: 'stop' },
      body: { path: '/sat' },
      data: ids(on.behaviour, id),
    });
  });

  it('DELETE /service/path: deletes the services under a path, each with its own result', async () => {
    const on = site();
    await template(on);
    const [result] = await on.ecsm.services().deployPaths([folder], 'run');
    await on.deployed();
    const [deletion, ...more] = await on.ecsm.services().deletePath(folder);
    const data = on.saw('DELETE /service/path', {
      body: { path: folder },
      data: list(object({ provisionId: 'uuid', result: exactly('ok'), transactionId: 'uuid', error: 'null' })),
    });
    expect(data).toEqual([deletion]);
    expect(deletion).toMatchObject({ provisionId: result?.serviceId, result: 'ok' });
    expect(more).toEqual([]);
  });
});
