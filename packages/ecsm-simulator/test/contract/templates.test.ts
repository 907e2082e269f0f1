/** Section 9.1 of the reference: templates in folders. Their deployment: service-paths.test.ts. */
import { expect, it } from 'vitest';
import { deployResult, someTime } from './common-forms.kit.ts';
import { either, exactly, type Form, list, listOrNone, object, orNull, words } from './form.kit.ts';
import { onEveryPlatform, type Site } from './site.kit.ts';

const base = '/provision-template/path-label';
const folder = '/sat/one';
const kind = words('folder', 'service');
const nodeNames = object({ names: listOrNone('text') });
const times = { createdTime: someTime, updatedTime: someTime };

const templateDetail = object({
  id: 'hexId',
  name: 'text',
  kind,
  spec: object({
    image: object({
      ref: 'imageRef',
      config: 'object',
      vsoa: orNull('object'),
      pullPolicy: words('IfNotPresent', 'Always', 'Never'),
    }),
    node: nodeNames,
    factor: 'count',
    policy: words('static', 'dynamic'),
    prepull: 'boolean',
  }),
  ...times,
});

/** What the full model shows of a template in its tree. */
const treeData = object({ id: 'hexId', name: 'text', kind, hostname: orNull('text'), node: nodeNames, ...times });

/** One node of a tree. `data` is there only in the full model. */
function branch(realpath: string, childCount: number, data: Form, children: Readonly<Record<string, Form>> = {}): Form {
  return object({
    name: exactly(realpath.slice(realpath.lastIndexOf('/') + 1)),
    realpath: exactly(realpath),
    childCount: exactly(childCount),
    data,
    children: object(children),
  });
}

/** Two templates in one folder: `telemetry` and `camera`. Gives their ids. */
async function templates(on: Site): Promise<{ readonly telemetry: string; readonly camera: string }> {
  const made = await on.ecsm.templates().createFromImages(['telemetry@1.0.0#sylixos', 'camera@1.0.0#sylixos'], folder);
  const [telemetry = '', camera = ''] = made.map(({ id }) => id);
  await on.ecsm.templates().update(telemetry, { templates: { node: { names: ['node-1'] } } });
  on.forget();
  return { telemetry, camera };
}

onEveryPlatform('templates', (site) => {
  it('POST /provision-template/path-label/service/batch: creates one template for each image', async () => {
    const on = site();
    const imageRefs = ['telemetry@1.0.0#sylixos', 'gateway@1.0.0#linux'];
    const made = await on.ecsm.templates().createFromImages(imageRefs, folder);
    const data = on.saw(`POST ${base}/service/batch`, {
      body: { imageRefs, path: folder },
      data: object({ provisionTmplList: list(object({ id: 'hexId', name: 'text' })) }),
    });
    expect(data).toEqual({ provisionTmplList: made });
    expect(made.map(({ name }) => name)).toEqual(['telemetry', 'gateway']);
  });

  it('POST /provision-template/path-label/folder: creates a folder', async () => {
    const on = site();
    const made = await on.ecsm.templates().createFolder('two', '/sat');
    const form = object({ id: 'hexId', path: exactly('/sat/two') });
    expect(on.saw(`POST ${base}/folder`, { body: { name: 'two', path: '/sat' }, data: form })).toEqual(made);
  });

  it('PUT /provision-template/path-label/move: moves a template', async () => {
    const on = site();
    const { camera } = await templates(on);
    await on.ecsm.templates().move(`${folder}/camera`, '/sat/lens');
    const body = { src: `${folder}/camera`, dst: '/sat/lens' };
    on.saw(`PUT ${base}/move`, { body, data: exactly({ id: camera }) });
    expect(await on.ecsm.templates().byPath('/sat/lens')).toMatchObject({ id: camera, name: 'lens' });
  });

  it('PUT /provision-templates/:id: changes a template', async () => {
    const on = site();
    const { camera: id } = await templates(on);
    const change = {
      name: 'lens',
      templates: {
        image: { ref: 'camera@1.0.1#sylixos', config: { hostname: 'lens' }, pullPolicy: 'Never' },
        node: { names: ['node-2'] },
        factor: 2,
        policy: 'dynamic',
        prepull: true,
      },
    } as const;
    expect(await on.ecsm.templates().update(id, change)).toBeUndefined();
    on.saw('PUT /provision-templates/:id', { path: { id }, body: change, data: exactly({ id, deployResult: null }) });
    expect(await on.ecsm.templates().get(id)).toMatchObject({ id, name: 'lens', spec: change.templates });
  });

  it('PUT /provision-templates/:id: deploys the changed template', async () => {
    const on = site();
    const { telemetry: id } = await templates(on);
    const result = await on.ecsm.templates().update(id, { action: 'run' });
    const form = object({ id: exactly(id), deployResult: deployResult(on.behaviour) });
    const data = on.saw('PUT /provision-templates/:id', { path: { id }, body: { action: 'run' }, data: form });
    expect(data).toEqual({ id, deployResult: result });
    expect(result).toMatchObject({ result: 'created', error: null });
  });

  it('PUT /provision-templates: sets new images, and deploys templates with that action', async () => {
    const on = site();
    const { telemetry, camera } = await templates(on);
    const changes = [
      { id: telemetry, imageRef: 'telemetry@1.1.0#sylixos', action: 'run' },
      { id: camera, imageRef: 'camera@7.7.7#sylixos' },
    ] as const;
    const results = await on.ecsm.templates().updateImages(changes, { action: 'load' });
    const updated = { id: exactly(telemetry), result: exactly(true), message: exactly('successful') };
    const deployed = object({ ...updated, deployResult: deployResult(on.behaviour) });
    const failed = exactly({ id: camera, result: false, message: '镜像ID不存在' });
    const body = { templates: changes, action: 'load' };
    expect(on.saw('PUT /provision-templates', { body, data: list(either(deployed, failed)) })).toEqual(results);
    expect(results).toMatchObject([{ id: telemetry, deployResult: { result: 'created' } }, { id: camera }]);
    expect(await on.ecsm.services().byName('telemetry')).toMatchObject({ imageList: [{ tag: '1.1.0' }] });
  });

  it('PUT /provision-templates/images: does the same by full path, and deploys nothing without that action', async () => {
    const on = site();
    const { telemetry } = await templates(on);
    const changes = [{ name: `${folder}/telemetry`, imageRef: 'telemetry@1.1.0#sylixos' }];
    const results = await on.ecsm.templates().updateImagesByName(changes);
    const result = { id: telemetry, name: `${folder}/telemetry`, result: true, message: 'successful' };
    const data = on.saw('PUT /provision-templates/images', { body: { templates: changes }, data: exactly([result]) });
    expect(data).toEqual(results);
    expect(await on.ecsm.services().byName('telemetry')).toBeUndefined();
  });

  it('GET /provision-template/path-label/tree: shows the tree to the requested depth', async () => {
    const on = site();
    await templates(on);
    const [root, ...more] = await on.ecsm.templates().tree({ path: '/sat', level: 1, model: 'simple' });
    const form = branch('/sat', 1, 'null', { one: branch(folder, 2, 'null') });
    const query = { path: '/sat', level: '1', model: 'simple' };
    expect(on.saw(`GET ${base}/tree`, { query, data: form })).toEqual(root);
    expect(more).toEqual([]);
  });

  it('GET /provision-template/path-label/tree: shows complete templates if requested', async () => {
    const on = site();
    const { telemetry } = await templates(on);
    const [root] = await on.ecsm.templates().tree({ path: folder, model: 'full' });
    const form = branch(folder, 2, treeData, {
      telemetry: branch(`${folder}/telemetry`, 0, treeData),
      camera: branch(`${folder}/camera`, 0, treeData),
    });
    expect(on.saw(`GET ${base}/tree`, { query: { path: folder, model: 'full' }, data: form })).toEqual(root);
    expect(root).toMatchObject({
      realpath: folder,
      children: { telemetry: { data: { id: telemetry, kind: 'service', node: { names: ['node-1'] } } } },
    });
  });

  it('GET /provision-template/:id: shows one template', async () => {
    const on = site();
    const { telemetry: id } = await templates(on);
    const template = await on.ecsm.templates().get(id);
    expect(on.saw('GET /provision-template/:id', { path: { id }, data: templateDetail })).toEqual(template);
    expect(template).toMatchObject({
      id,
      name: 'telemetry',
      kind: 'service',
      spec: { image: { ref: 'telemetry@1.0.0#sylixos' }, node: { names: ['node-1'] }, policy: 'static' },
    });
    await expect(on.ecsm.templates().get('nobody')).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown('GET /provision-template/:id', { path: { id: 'nobody' }, http: 404, code: 36004 });
  });

  it('GET /provision-template/path-label: shows the template at a path', async () => {
    const on = site();
    const { camera } = await templates(on);
    const template = await on.ecsm.templates().byPath(`${folder}/camera`);
    expect(on.saw(`GET ${base}`, { query: { path: `${folder}/camera` }, data: templateDetail })).toEqual(template);
    expect(template).toMatchObject({ id: camera, name: 'camera' });
  });

  it('GET /provision-template/path-label/search: finds templates by a keyword, a folder and a kind', async () => {
    const on = site();
    const { camera } = await templates(on);
    const search = { key: 'cam', path: '/sat', kind: 'service' } as const;
    const found = await on.ecsm.templates().search(search);
    const row = {
      id: 'hexId',
      name: 'text',
      kind,
      hostname: orNull('text'),
      realpath: 'text',
      node: nodeNames,
    } as const;
    const result = object({ ...row, ...times });
    const isList = on.behaviour.templateSearch === 'list';
    const data = on.saw(`GET ${base}/search`, { query: search, data: isList ? list(result) : result });
    expect(isList ? data : [data]).toEqual(found);
    expect(found).toMatchObject([{ id: camera, kind: 'service', realpath: `${folder}/camera` }]);
    expect(await on.ecsm.templates().search({ key: 'nothing' })).toEqual([]);
  });

  it('DELETE /provision-template/path-label/:id: deletes one', async () => {
    const on = site();
    const { camera: id } = await templates(on);
    await on.ecsm.templates().delete(id);
    on.saw(`DELETE ${base}/:id`, { path: { id }, data: exactly({ id }) });
    expect(await on.ecsm.templates().search({ kind: 'service' })).toMatchObject([{ name: 'telemetry' }]);
  });

  it('DELETE /provision-template/path-label: deletes a folder with its content, or several by id', async () => {
    const on = site();
    const { telemetry, camera } = await templates(on);
    await on.ecsm.templates().deleteMany({ ids: [telemetry, camera] });
    on.saw(`DELETE ${base}`, { body: { id: [telemetry, camera] }, data: exactly({ id: [telemetry, camera] }) });
    expect(on.platform.templates()).toMatchObject([{ name: 'sat' }, { name: 'one' }]);
    on.forget();
    await on.ecsm.templates().deleteMany({ path: '/sat' });
    on.saw(`DELETE ${base}`, { body: { path: '/sat' }, data: object({ id: 'hexId' }) });
    expect(await on.ecsm.templates().search({})).toEqual([]);
  });
});
