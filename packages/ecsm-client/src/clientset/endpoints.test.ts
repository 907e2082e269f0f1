/**
 * Goal: the table of endpoints is true, and complete. Method: every method of every resource is called once on a
 * recording platform, and what was called has to be what the table says.
 */
import { describe, expect, it } from 'vitest';
import type { Ecsm } from './ecsm.ts';
import { endpoints } from './endpoints.ts';
import { collect } from './pages.ts';
import { type Answer, container, node, onePage, scripted, service } from './scripted.kit.ts';

const image = { ref: 'a@1#sylixos', action: 'run', config: {} } as const;
const body = { name: 'a', image, node: { names: ['n'] } };
const empty = onePage();
const taken = true;

/** How each method is called, and what the platform answers. */
const calls: Readonly<Record<string, readonly [data: unknown, call: (ecsm: Ecsm) => Promise<unknown>]>> = {
  'services().create': [{ id: 's' }, (ecsm) => ecsm.services().create(body)],
  'services().list': [empty, (ecsm) => collect(ecsm.services().list())],
  'services().get': [service('s'), (ecsm) => ecsm.services().get('s')],
  'services().update': [{ id: 's' }, (ecsm) => ecsm.services().update({ ...body, id: 's' })],
  'services().delete': [{}, (ecsm) => ecsm.services().delete('s')],
  'services().control': [[], (ecsm) => ecsm.services().control(['s'], 'stop')],
  'services().controlPath': [[], (ecsm) => ecsm.services().controlPath('/a', 'stop')],
  'services().deployPaths': [[], (ecsm) => ecsm.services().deployPaths(['/a'], 'run')],
  'services().deployTemplates': [[], (ecsm) => ecsm.services().deployTemplates(['t'], 'load')],
  'services().deletePath': [[], (ecsm) => ecsm.services().deletePath('/a')],
  'services().redeploy': [null, (ecsm) => ecsm.services().redeploy('s')],
  'services().rollback': [{}, (ecsm) => ecsm.services().rollback('s', 'r')],
  'services().isNameTaken': [taken, (ecsm) => ecsm.services().isNameTaken('a')],
  'services().summary': [{ total: 1 }, (ecsm) => ecsm.services().summary()],
  'services().controlContainers': [{}, (ecsm) => ecsm.services().controlContainers('s', 'stop')],
  'records().list': [empty, (ecsm) => collect(ecsm.records().list('s'))],
  'records().get': [{}, (ecsm) => ecsm.records().get('r')],
  'records().delete': ['success', (ecsm) => ecsm.records().delete('r')],
  'containers().get': [container('t'), (ecsm) => ecsm.containers().get('t')],
  'containers().ofServices': [empty, (ecsm) => collect(ecsm.containers().ofServices(['s']))],
  'containers().ofNodes': [empty, (ecsm) => collect(ecsm.containers().ofNodes(['n']))],
  'containers().control': [{}, (ecsm) => ecsm.containers().control('name', 'stop')],
  'containers().history': [empty, (ecsm) => collect(ecsm.containers().history('t'))],
  'nodes().create': [null, (ecsm) => ecsm.nodes().create({ address: 'a:1', name: 'n', password: 'p' })],
  'nodes().update': [
    null,
    (ecsm) => ecsm.nodes().update({ id: 'n', address: 'a:1', name: 'n', password: 'p', tls: false }),
  ],
  'nodes().delete': ['success', (ecsm) => ecsm.nodes().delete(['n'])],
  'nodes().list': [empty, (ecsm) => collect(ecsm.nodes().list())],
  'nodes().get': [node('n'), (ecsm) => ecsm.nodes().get('n')],
  'nodes().getByName': [node('n'), (ecsm) => ecsm.nodes().getByName('n')],
  'nodes().isNameTaken': [taken, (ecsm) => ecsm.nodes().isNameTaken('n')],
  'nodes().isAddressTaken': [taken, (ecsm) => ecsm.nodes().isAddressTaken('a:1')],
  'nodes().status': [{ nodes: [] }, (ecsm) => ecsm.nodes().status(['n'])],
  'nodes().refreshTypes': [null, (ecsm) => ecsm.nodes().refreshTypes()],
  'nodes().typeChanges': [[], (ecsm) => ecsm.nodes().typeChanges()],
  'images().list': [empty, (ecsm) => collect(ecsm.images().list())],
  'images().summary': [{ local: 1, remote: 0 }, (ecsm) => ecsm.images().summary()],
  'images().counts': [[], (ecsm) => ecsm.images().counts()],
  'images().config': [{ config: {} }, (ecsm) => ecsm.images().config('a@1#sylixos')],
  'images().get': [{ id: 'i', name: 'a' }, (ecsm) => ecsm.images().get('i')],
  'images().upload': [
    { uploadId: 'u' },
    (ecsm) => ecsm.images().upload({ size: 1, hash: 'ab', read: () => new Uint8Array(1) }),
  ],
  'images().checkHash': [{}, (ecsm) => ecsm.images().checkHash('ab', [1], 1)],
  'images().uploadProgress': [{}, (ecsm) => ecsm.images().uploadProgress('u')],
  'images().sync': [
    { syncId: 's' },
    (ecsm) =>
      ecsm.images().sync({ registryId: 'r', imageName: 'a', imageSize: 1, tag: '1', os: 'linux', arch: 'arm64' }),
  ],
  'images().syncProgress': [{}, (ecsm) => ecsm.images().syncProgress('s')],
  'images().tags': [[], (ecsm) => ecsm.images().tags('r', 'a')],
  'images().tagDetail': [{}, (ecsm) => ecsm.images().tagDetail('r', 'a', '1')],
  'images().isRegistryAddressTaken': [taken, (ecsm) => ecsm.images().isRegistryAddressTaken('a:5000')],
  'templates().createFromImages': [
    { provisionTmplList: [] },
    (ecsm) => ecsm.templates().createFromImages(['a@1#linux'], '/a'),
  ],
  'templates().createFolder': [{ id: 'f' }, (ecsm) => ecsm.templates().createFolder('b', '/a')],
  'templates().move': [{ id: 'f' }, (ecsm) => ecsm.templates().move('/a', '/b')],
  'templates().update': [{ id: 't' }, (ecsm) => ecsm.templates().update('t', { name: 'b' })],
  'templates().updateImages': [[], (ecsm) => ecsm.templates().updateImages([{ id: 't', imageRef: 'a@1#linux' }])],
  'templates().updateImagesByName': [
    [],
    (ecsm) => ecsm.templates().updateImagesByName([{ name: '/a/b', imageRef: 'a@1#linux' }]),
  ],
  'templates().tree': [[], (ecsm) => ecsm.templates().tree()],
  'templates().get': [{}, (ecsm) => ecsm.templates().get('t')],
  'templates().byPath': [{}, (ecsm) => ecsm.templates().byPath('/a')],
  'templates().search': [[], (ecsm) => ecsm.templates().search({ key: 'a' })],
  'templates().delete': [null, (ecsm) => ecsm.templates().delete('t')],
  'templates().deleteMany': [null, (ecsm) => ecsm.templates().deleteMany({ path: '/a' })],
  'configuration().create': [null, (ecsm) => ecsm.configuration().create({ key: '/a', type: 'string', value: 'b' })],
  'configuration().update': [
    null,
    (ecsm) => ecsm.configuration().update({ id: '1', key: '/a', type: 'string', value: 'b' }),
  ],
  'configuration().delete': [null, (ecsm) => ecsm.configuration().delete(1)],
  'configuration().list': [[], (ecsm) => collect(ecsm.configuration().list())],
  'configuration().value': ['b', (ecsm) => ecsm.configuration().value('/a')],
  'microServices().list': [empty, (ecsm) => collect(ecsm.microServices().list())],
  'microServices().get': [{ id: 'm', name: 'a' }, (ecsm) => ecsm.microServices().get('m')],
  'microServices().setLoadBalance': [
    null,
    (ecsm) => ecsm.microServices().setLoadBalance('m', { loadBalance: 'roundRobin' }),
  ],
  'microServices().instances': [empty, (ecsm) => collect(ecsm.microServices().instances('m'))],
  'overview().nodeMetrics': [[], (ecsm) => ecsm.overview().nodeMetrics('n')],
  'overview().nodeView': [node('n'), (ecsm) => ecsm.overview().nodeView('n')],
};

/** Methods that are another way to a call of the table. */
const conveniences = [
  'services().page',
  'services().byName',
  'services().changes',
  'records().page',
  'containers().pageOfServices',
  'nodes().page',
  'nodes().listBasic',
  'nodes().byName',
  'images().page',
  'configuration().page',
  'microServices().page',
  'microServices().byName',
];

function methodsOf(ecsm: Ecsm): string[] {
  const resources = {
    services: ecsm.services(),
    containers: ecsm.containers(),
    nodes: ecsm.nodes(),
    images: ecsm.images(),
    records: ecsm.records(),
    templates: ecsm.templates(),
    configuration: ecsm.configuration(),
    microServices: ecsm.microServices(),
    overview: ecsm.overview(),
  };
  return Object.entries(resources).flatMap(([name, resource]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((method) => method !== 'constructor')
      .map((method) => `${name}().${method}`),
  );
}

describe('the table of endpoints', () => {
  it.each(endpoints)('$method calls $endpoint', async ({ endpoint, method }) => {
    const [data, call] = calls[method] ?? expect.unreachable(`there is no call of ${method}`);
    const response: Answer = ({ path }) => (method === 'images().upload' && path !== '/image' ? {} : data);
    const { ecsm, recorder } = scripted(response);
    await call(ecsm);
    const called = recorder.byEndpoint().map((one) => one.endpoint);
    expect(called).toEqual(method === 'images().upload' ? [endpoint, 'POST /image/hash/check'] : [endpoint]);
  });

  it('contains exactly the methods of all resources', () => {
    const expected = [...endpoints.map(({ method }) => method), ...conveniences];
    expect(methodsOf(scripted(() => null).ecsm).toSorted()).toEqual(expected.toSorted());
    expect(Object.keys(calls).toSorted()).toEqual(endpoints.map(({ method }) => method).toSorted());
  });

  it('contains each endpoint once, with its sources', () => {
    expect(new Set(endpoints.map(({ endpoint }) => endpoint)).size).toBe(endpoints.length);
    expect(endpoints.filter(({ marks }) => marks.length === 0)).toEqual([]);
  });
});
