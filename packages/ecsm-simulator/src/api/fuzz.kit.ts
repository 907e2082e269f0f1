/**
 * Requests that no correct client sends, from a seed. Each starts as a right one for some route, about things that are
 * really there; then, most of the time, something in it is spoilt. What is wrong everywhere is refused at the door and
 * tests nothing behind it.
 */
import type { SeededRandom } from '@ecsm/runtime/simulation';
import type { State } from '../platform/model.ts';
import type { Request } from './exchange.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

const oddNames = ['__proto__', 'constructor', 'toString', '卫星', '..', ' ', '\u0000', '-', 'x'];
const paths = ['/', '/a', '/a/b', 'a//b/', '/telemetry', '/a/telemetry', '/a/b/c/d/e/f'];
const hostile: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, '', 'x', 'x'.repeat(5_000), '\ud800', '\u0000', '@@1e999@@'],
  ...[
    [],
    {},
    [[]],
    [null],
    { length: -1 },
    { toString: 5 },
    { constructor: { prototype: {} } },
    '__proto__',
    '@@deep@@',
  ],
];
const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
const oddTexts = [
  '',
  '-1',
  '0',
  '1e3',
  'NaN',
  '9'.repeat(15),
  '9'.repeat(30),
  'true',
  '%zz',
  '%',
  '%00',
  '%F0%9F',
  '[]',
  ...oddNames,
];

type Kind = 'service' | 'record' | 'task' | 'container' | 'node' | 'nodeName' | 'image' | 'remoteImage';
type OtherKind = 'registry' | 'sync' | 'upload' | 'template' | 'templatePath' | 'entry' | 'key' | 'transaction' | 'odd';

/** What there is to ask for. */
type Catalogue = Readonly<Record<Kind | OtherKind, readonly string[]>>;

export function catalogueOf(state: State): Catalogue {
  const images = Object.values(state.images);
  const templates = Object.values(state.templates);
  const containers = Object.values(state.containers);
  return {
    service: Object.keys(state.services),
    record: state.records.map(({ id }) => id),
    task: containers.map(({ taskId }) => taskId),
    container: containers.map(({ name }) => name),
    node: Object.keys(state.nodes),
    nodeName: Object.values(state.nodes).map(({ name }) => name),
    image: images.filter(({ registryId }) => registryId === 'local').map(({ id }) => id),
    remoteImage: images.filter(({ registryId }) => registryId !== 'local').map(({ id }) => id),
    registry: Object.keys(state.registries),
    sync: Object.keys(state.syncs),
    upload: Object.keys(state.uploads),
    template: templates.map(({ id }) => id),
    templatePath: templates.map(({ folder, name }) => `${folder}/${name}`),
    entry: Object.keys(state.configuration),
    key: Object.values(state.configuration).map(({ key }) => key),
    transaction: Object.keys(state.transactions),
    odd: oddNames,
  };
}

/** Whose id a route asks for; the first that its path begins with. */
const kinds: readonly (readonly [path: string, kind: Kind | OtherKind])[] = [
  ['/service/record/:id', 'record'],
  ['/service/:action/templates-ids', 'template'],
  ['/service', 'service'],
  ['/container/:id', 'task'],
  ['/container/action', 'task'],
  ['/container', 'container'],
  ['/transaction', 'transaction'],
  ['/node/name/:name', 'nodeName'],
  ['/node', 'node'],
  ['/overview/node', 'node'],
  ['/overview/platform/node', 'node'],
  ['/overview', 'service'],
  ['/image/sync/', 'sync'],
  ['/image/sync', 'remoteImage'],
  ['/image/upload', 'upload'],
  ['/registry', 'image'],
  ['/provision', 'template'],
  ['/configmap', 'entry'],
  ['/micro-service', 'service'],
];

export function fuzzRequest(random: SeededRandom, things: Catalogue): Request {
  const route = random.pick(routes);
  const kind = route.method === 'DELETE' && route.path === '/service/record' ? 'record' : kindOf(route.path);
  const one = (of: Kind | OtherKind) => random.pick(things[of].length > 0 ? things[of] : oddNames);
  const any = () => one(random.pick(Object.keys(things) as (Kind | OtherKind)[]));
  // Asking for a node by the id of a service is a good way to find a hole.
  const id = () => (random.chance(0.93) ? one(kind) : any());
  const spoilt = random.pick(['nothing', 'nothing', 'path', 'query', 'headers', 'body', 'body', 'bytes'] as const);
  const bytes = bytesOf(random, bodyOf(random, route, id, one), spoilt);
  const path = pathOf(random, route, id);
  const query = queryOf(random, route, id, one).map((pair) =>
    spoilt === 'query' && random.chance(0.2) ? spoil(random, pair) : pair,
  );
  return {
    method:
      spoilt === 'path' && random.chance(0.2) ? random.pick(['PATCH', 'HEAD', 'get', '', '\u0000']) : route.method,
    target: `/api/v1${spoilt === 'path' ? spoil(random, path) : path}?${query.join('&')}`,
    headers: headersOf(random, bytes, spoilt === 'headers'),
    body: bytes,
  };
}

function kindOf(path: string): Kind | OtherKind {
  return kinds.find(([start]) => path.startsWith(start))?.[1] ?? 'odd';
}

function pathOf(random: SeededRandom, { path }: Route, id: () => string): string {
  const deploys = path.includes('templates');
  const actions = deploys ? ['run', 'load'] : ['start', 'stop', 'restart', 'pause', 'unpause', 'destroy'];
  return path.replaceAll(/:(\w+)/g, (_, name) => {
    if (name === 'registryId') return 'local';
    return encode(name === 'action' ? random.pick(actions) : id());
  });
}

type Pick = (of: Kind | OtherKind) => string;

function queryOf(random: SeededRandom, { path }: Route, id: () => string, one: Pick): readonly string[] {
  const required: Record<string, () => string> = {
    pageNum: () => random.pick(['1', '1', '2', '-1']),
    pageSize: () => random.pick(['10', '2', '1000', '-1']),
    id: () => (path === '/service' ? one('image') : id()),
    'ids[]': () => one('node'),
    'nodeIds[]': () => one('node'),
    'serviceIds[]': () => one('service'),
    nodeId: () => one('node'),
    registryId: () => random.pick(['local', one('registry')]),
    imageName: () => 'camera',
    tag: () => '1.0.0',
    ref: () => random.pick(['telemetry@1.0.0#sylixos', 'gateway@latest']),
    address: () => '10.0.0.1:1112',
    path: () => one('templatePath'),
  };
  const optional: Record<string, () => string> = {
    name: () => random.pick(['s', 'e', one('nodeName')]),
    key: () => one('key'),
    label: () => 'a',
    instant: () => random.pick(['true', 'false']),
    startTime: () => random.pick(['2024-06-03 23:28:20', '1717457300']),
    step: () => String(random.integer(1, 1e6)),
    level: () => String(random.integer(1, 3)),
    model: () => random.pick(['simple', 'full']),
    kind: () => random.pick(['folder', 'service']),
    basicInfo: () => 'true',
    projectId: () => one('image'),
    os: () => 'linux',
  };
  const written = (values: Record<string, () => string>, probability: number) =>
    Object.entries(values)
      .filter(() => random.chance(probability))
      .map(([name, value]) => `${name}=${encode(value())}`);
  return [...written(required, 0.97), ...written(optional, path === '/configmap/key' ? 0.9 : 0.15)];
}

/** Has the fields of every call: what a call does not know it ignores. */
function bodyOf(random: SeededRandom, { path }: Route, id: () => string, one: Pick): unknown {
  const isLinux = random.chance(0.2);
  const ref = isLinux ? 'gateway@latest#linux' : 'telemetry@1.0.0#sylixos';
  const config = random.chance(0.5) ? {} : { sylixos: { resources: { memory: { memoryLimitMB: 64 } } }, restart: 'no' };
  const vsoa = {
    port: random.integer(0, 3),
    healthPath: '/h',
    healthInterval: 5,
    healthRetries: 1,
    livenessProbe: true,
  };
  const image = {
    ...{ ref, action: random.pick(['run', 'load']), config, ...(random.chance(0.7) ? { vsoa } : {}) },
    ...{ autoUpgrade: random.pick(['Never', 'Larger', 'Always']) },
  };
  const node = { names: isLinux ? ['Ground'] : random.pick([['sat-1'], ['sat-1', 'sat-2']]) };
  const isDeployment = path.startsWith('/provision');
  const action = random.pick(isDeployment ? ['run', 'load'] : ['start', 'stop', 'restart', 'pause', 'unpause']);
  const isSync = path === '/image/sync';
  const several = path === '/provision-templates' || path === '/provision-templates/images';
  return {
    ...{ id: path.endsWith('path-label') ? [id()] : id(), ids: [id(), id()], serviceId: id(), recordId: one('record') },
    ...{ registryId: one('registry'), imageName: 'camera', tag: '1.0.0', imageSize: 1, imageHash: 'a1' },
    ...{ name: path === '/node' ? random.pick(['sat-3', 'sat-4']) : `s${random.integer(1, 20)}`, action, image, node },
    ...{ factor: random.integer(0, 4), policy: random.pick(['dynamic', 'static']), prepull: random.chance(0.3) },
    ...{ path: random.pick([...paths, one('templatePath')]), paths: [random.pick(paths)], force: random.chance(0.5) },
    ...{ src: one('templatePath'), dst: random.pick(paths), imageRefs: [ref] },
    ...{ address: `10.0.1.${random.integer(1, 200)}:1112`, password: 'p', tls: random.chance(0.5) },
    ...{ key: `k${random.integer(1, 50)}`, type: 'json', value: random.pick(hostile) },
    ...{ os: isSync ? 'sylixos' : 'linux', arch: 'arm64', chunkIndexArray: [1, 2] },
    ...{
      loadBalance: random.pick(['masterSlave', 'roundRobin']),
      loadBalanceDetail: random.chance(0.5) ? null : [{ id: one('task'), master: true }],
    },
    templates: several ? [{ id: id(), name: one('templatePath'), imageRef: ref }] : { image, node, factor: 2 },
  };
}

function bytesOf(random: SeededRandom, valid: unknown, spoilt: string): Uint8Array {
  if (spoilt === 'bytes' && random.chance(0.5)) {
    return Uint8Array.from({ length: random.integer(0, 64) }, () => random.integer(0, 255));
  }
  const text = JSON.stringify(spoilt === 'body' ? mutated(random, valid) : valid) ?? '';
  const raw = text.replaceAll('"@@1e999@@"', '1e999').replaceAll('"@@deep@@"', deep);
  if (spoilt !== 'bytes') return new TextEncoder().encode(raw);
  return new TextEncoder().encode(
    random.chance(0.5) ? raw.slice(0, random.integer(0, raw.length)) : raw.replace(/"\w+":/, '"__proto__":'),
  );
}

/** The same value with something hostile at one place, or one field short. */
function mutated(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return random.pick(hostile);
  if (Array.isArray(value))
    return value.length === 0 ? [random.pick(hostile)] : value.with(0, mutated(random, value[0]));
  const entries = Object.entries(value);
  const [name, inner] = entries.length === 0 ? ['x', {}] : random.pick(entries);
  if (random.chance(0.2)) return Object.fromEntries(entries.filter(([other]) => other !== name));
  return { ...value, [name]: mutated(random, inner) };
}

function headersOf(random: SeededRandom, body: Uint8Array, isSpoilt: boolean): Record<string, string> {
  const total = random.integer(1, 2);
  const headers: Record<string, string> = {
    ...{ imagehash: `a${random.integer(1, 40)}`, total: String(total), index: String(random.integer(1, total)) },
    ...{ totalsize: String(body.length * total), buffersize: String(body.length), offset: '5242880' },
    description: random.pick(['x', '%zz', 'camera@1.0.0#sylixos', '%E5%8D']),
  };
  if (!isSpoilt) return headers;
  const type = random.pick(['text/html', 'application/json; charset=utf-16', ';;;', 'x; charset=']);
  return {
    ...headers,
    [random.pick(Object.keys(headers))]: random.pick(oddTexts),
    ...(random.chance(0.3) ? { 'content-type': type } : {}),
    ...(random.chance(0.3) ? { 'content-encoding': random.pick(['gzip', 'identity', '']) } : {}),
  };
}

/** A piece of the text is replaced. */
function spoil(random: SeededRandom, text: string): string {
  const from = random.integer(0, text.length);
  return `${text.slice(0, from)}${random.pick(oddTexts)}${text.slice(random.integer(from, text.length))}`;
}

/** Half a character cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));
}
