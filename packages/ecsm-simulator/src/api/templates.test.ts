import { expect, test } from 'vitest';
import { Bench, failed, field, succeeded } from './api.kit.ts';

const base = '/provision-template/path-label';

/** `/orbit/telemetry`, made through the API; nodes are not named yet. */
function withTemplate() {
  const bench = new Bench();
  const body = { imageRefs: ['telemetry@1.0.0#sylixos'], path: '/orbit/' };
  const reply = bench.call('POST', `${base}/service/batch`, body);
  const template = bench.platform.templates().find(({ kind }) => kind === 'service');
  return { bench, reply, id: template?.id ?? '' };
}

const times = { createdTime: '2024-06-03 23:28:20', updatedTime: '2024-06-03 23:28:20' };
const specOf = (bench: Bench) => ({
  image: {
    ref: 'telemetry@1.0.0#sylixos',
    config: bench.telemetry.config,
    vsoa: null,
    pullPolicy: 'IfNotPresent',
  },
  node: { names: [] as string[] },
  factor: 1,
  policy: 'static',
  prepull: false,
});

test('templates are created from images, all or none', () => {
  const { bench, reply, id } = withTemplate();
  expect(reply).toEqual(succeeded({ provisionTmplList: [{ id, name: 'telemetry' }] }));
  const count = bench.platform.templates().length;
  const both = (ref: string) => ({ imageRefs: ['gateway@latest#linux', ref], path: '/orbit' });
  expect(bench.code('POST', `${base}/service/batch`, both('nothing@1#linux'))).toBe(34004);
  expect(bench.code('POST', `${base}/service/batch`, both('telemetry@1.0.0#sylixos'))).toBe(36006);
  expect(bench.platform.templates()).toHaveLength(count);
});

test('a template is read by id and by path', () => {
  const { bench, id } = withTemplate();
  const detail = succeeded({ id, name: 'telemetry', kind: 'service', spec: specOf(bench), ...times });
  expect(bench.call('GET', `/provision-template/${id}`)).toEqual(detail);
  expect(bench.call('GET', `${base}?path=orbit/telemetry`)).toEqual(detail);
  expect(bench.code('GET', `${base}?path=/orbit/other`)).toBe(36004);
  expect(bench.call('GET', '/provision-template/nothing')).toEqual(failed(36004, '模板不存在: nothing'));
});

test('folders are created, and have no spec', () => {
  const bench = new Bench();
  const reply = bench.data('POST', `${base}/folder`, { name: 'low', path: '/orbit' });
  const id = field(reply, 'id');
  expect(reply).toEqual({ id, path: '/orbit/low' });
  expect(bench.data('GET', `/provision-template/${id}`)).toEqual({
    id,
    name: 'low',
    kind: 'folder',
    spec: null,
    ...times,
  });
  expect(bench.code('POST', `${base}/folder`, { name: 'low', path: '/orbit' })).toBe(36006);
  expect(bench.code('POST', `${base}/folder`, { name: 'a/b', path: '/' })).toBe(30001);
});

test('a template is moved', () => {
  const { bench, id } = withTemplate();
  expect(bench.call('PUT', `${base}/move`, { src: '/orbit/telemetry', dst: '/moon/lander' })).toEqual(
    succeeded({ id }),
  );
  expect(bench.data('GET', `${base}?path=/moon/lander`)).toMatchObject({ id });
  expect(bench.code('PUT', `${base}/move`, { src: '/orbit/telemetry', dst: '/' })).toBe(36004);
});

test('the tree of a path, simple and full, whole and by level', () => {
  const { bench, id } = withTemplate();
  const leaf = { name: 'telemetry', realpath: '/orbit/telemetry', childCount: 0, data: null, children: {} };
  const orbit = { name: 'orbit', realpath: '/orbit', childCount: 1, data: null, children: { telemetry: leaf } };
  const root = { name: '/', realpath: '/', childCount: 1, data: null };
  expect(bench.call('GET', `${base}/tree?path=/`)).toEqual(succeeded({ ...root, children: { orbit } }));
  expect(bench.data('GET', `${base}/tree?path=/&level=1&model=simple`)).toEqual({
    ...root,
    children: { orbit: { ...orbit, children: {} } },
  });
  const folderId = bench.platform.templates().find(({ kind }) => kind === 'folder')?.id;
  expect(bench.data('GET', `${base}/tree?path=orbit&model=full`)).toEqual({
    ...orbit,
    data: { id: folderId, name: 'orbit', kind: 'folder', hostname: null, node: { names: [] }, ...times },
    children: {
      telemetry: {
        ...leaf,
        data: { id, name: 'telemetry', kind: 'service', hostname: 'sylixos_ecs', node: { names: [] }, ...times },
      },
    },
  });
  expect(bench.code('GET', `${base}/tree?path=/moon`)).toBe(36004);
  expect(bench.code('GET', `${base}/tree?path=/&level=0`)).toBe(30001);
  expect(bench.code('GET', `${base}/tree?path=/&model=odd`)).toBe(30001);
});

test('a search by keyword, path and kind, whose result is a list by a switch', () => {
  const { bench, id } = withTemplate();
  bench.platform.setBehaviour({ templateSearch: 'list' });
  const found = (query: string) => bench.data('GET', `${base}/search?${query}`);
  expect(found('key=TELE&path=/orbit&kind=service')).toEqual([
    {
      id,
      name: 'telemetry',
      kind: 'service',
      hostname: 'sylixos_ecs',
      realpath: '/orbit/telemetry',
      node: { names: [] },
      ...times,
    },
  ]);
  expect(found('')).toHaveLength(2);
  expect(found('kind=folder')).toMatchObject([{ name: 'orbit', realpath: '/orbit' }]);
  expect(found('path=/moon')).toEqual([]);
});

test('the result of a search is the first template, or null', () => {
  const { bench, id } = withTemplate();
  expect(bench.data('GET', `${base}/search?kind=service`)).toMatchObject({ id });
  expect(bench.data('GET', `${base}/search`)).toMatchObject({ name: 'orbit' });
  expect(bench.data('GET', `${base}/search?path=/moon`)).toBe(null);
});

test('a template has the times of its creation and of its last change', () => {
  const { bench, id } = withTemplate();
  bench.pass(60_000);
  bench.data('PUT', `/provision-templates/${id}`, { templates: { node: { names: ['sat-1'] } } });
  const changed = { createdTime: '2024-06-03 23:28:20', updatedTime: '2024-06-03 23:29:20' };
  expect(bench.data('GET', `/provision-template/${id}`)).toMatchObject(changed);
  bench.pass(60_000);
  bench.data('PUT', `${base}/move`, { src: '/orbit/telemetry', dst: '/telemetry' });
  expect(bench.data('GET', `/provision-template/${id}`)).toMatchObject({ updatedTime: '2024-06-03 23:30:20' });
});

test('a template is changed in part; empty fields change nothing', () => {
  const { bench, id } = withTemplate();
  const change = {
    name: '',
    templates: {
      image: { ref: '', config: null, pullPolicy: 'Never' },
      node: { names: ['sat-1', 'sat-2'] },
      policy: 'dynamic',
      factor: 2,
    },
  };
  expect(bench.call('PUT', `/provision-templates/${id}`, change)).toEqual(succeeded({ id, deployResult: null }));
  const spec = specOf(bench);
  expect(field(bench.data('GET', `/provision-template/${id}`), 'spec')).toEqual({
    ...spec,
    image: { ...spec.image, pullPolicy: 'Never' },
    node: { names: ['sat-1', 'sat-2'] },
    policy: 'dynamic',
    factor: 2,
  });
});

test('a change may deploy the template', () => {
  const { bench, id } = withTemplate();
  const templates = {
    node: { names: ['sat-1'] },
    image: { vsoa: { port: 0 }, config: {}, ref: 'telemetry@1.0.0#sylixos' },
  };
  const reply = bench.data('PUT', `/provision-templates/${id}`, { name: 'lander', templates, action: 'run' });
  const service = bench.platform.serviceNamed('lander');
  expect(reply).toEqual({
    id,
    deployResult: {
      provisionTmplId: id,
      result: 'created',
      provisionId: service?.id,
      tasks: bench.containers(service?.id ?? '').map(({ taskId }) => ({ id: taskId })),
      error: null,
    },
  });
  expect(service?.image.vsoa).toEqual({ port: 0 });
});

test('a folder can be renamed, and has no service', () => {
  const { bench } = withTemplate();
  const id = bench.platform.templates().find(({ kind }) => kind === 'folder')?.id;
  expect(bench.call('PUT', `/provision-templates/${id}`, { name: 'moon' })).toEqual(
    succeeded({ id, deployResult: null }),
  );
  expect(bench.data('GET', `${base}?path=/moon/telemetry`)).toMatchObject({ name: 'telemetry' });
  expect(bench.code('PUT', `/provision-templates/${id}`, { templates: {} })).toBe(30001);
  expect(bench.code('PUT', `/provision-templates/${id}`, { action: 'run' })).toBe(30001);
});

test('images of many templates are changed by id, each with its own result', () => {
  const { bench, id } = withTemplate();
  bench.platform.pushImage({ name: 'telemetry', tag: '2.0.0', os: 'sylixos', sizeBytes: 1 });
  bench.data('PUT', `/provision-templates/${id}`, { templates: { node: { names: ['sat-1'] } } });
  const imageRef = 'telemetry@2.0.0#sylixos';
  const body = {
    templates: [
      { id, imageRef },
      { id: 'nothing', imageRef },
      { id, imageRef: 'gone@1' },
    ],
  };
  expect(bench.call('PUT', '/provision-templates', body)).toEqual(
    succeeded([
      { id, result: true, message: 'successful' },
      { id: 'nothing', result: false, message: '模板不存在' },
      { id, result: false, message: '镜像ID不存在' },
    ]),
  );
  expect(field(bench.data('GET', `/provision-template/${id}`), 'spec')).toMatchObject({
    image: { ref: imageRef, config: bench.telemetry.config },
  });
  expect(bench.platform.services()).toEqual([]);
  const asked = { templates: [{ id, imageRef, action: 'load' }], action: 'run' };
  expect(bench.data('PUT', '/provision-templates', asked)).toMatchObject([{ deployResult: { result: 'created' } }]);
  expect(bench.platform.serviceNamed('telemetry')?.image.action).toBe('load');
});

test('images of many templates are changed by path, and deployed by their action', () => {
  const { bench, id } = withTemplate();
  bench.data('PUT', `/provision-templates/${id}`, { templates: { node: { names: ['sat-1'] } } });
  const imageRef = 'telemetry@1.0.0#sylixos';
  const name = '/orbit/telemetry';
  const body = {
    templates: [
      { name, imageRef, action: 'load' },
      { name: '/x', imageRef },
    ],
    action: 'run',
  };
  const reply = bench.data('PUT', '/provision-templates/images', body);
  const service = bench.platform.serviceNamed('telemetry');
  expect(service?.image.action).toBe('load');
  expect(reply).toEqual([
    {
      id,
      name,
      result: true,
      message: 'successful',
      deployResult: {
        provisionTmplId: id,
        result: 'created',
        provisionId: service?.id,
        tasks: bench.containers(service?.id ?? '').map(({ taskId }) => ({ id: taskId })),
        error: null,
      },
    },
    { id: null, name: '/x', result: false, message: '模板不存在' },
  ]);
});

test('templates are deleted by id, by ids and by path', () => {
  const { bench, id } = withTemplate();
  expect(bench.call('DELETE', `${base}/${id}`)).toEqual(succeeded({ id }));
  const folder = bench.platform.templates()[0]?.id;
  expect(bench.call('DELETE', base, { path: 'orbit' })).toEqual(succeeded({ id: folder }));
  expect(bench.platform.templates()).toEqual([]);
  expect(bench.code('DELETE', base, { path: 'orbit' })).toBe(36004);
  expect(bench.code('DELETE', base, {})).toBe(30001);
});

test.each(['id', 'ids'])('a folder deleted in a list called %s is deleted with its content', (name) => {
  const { bench } = withTemplate();
  const ids = bench.platform.templates().map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(bench.call('DELETE', base, { [name]: ids })).toEqual(succeeded({ id: ids }));
  expect(bench.platform.templates()).toEqual([]);
});
