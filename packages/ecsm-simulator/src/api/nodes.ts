/** Routes of nodes. */
import { type JsonObject, type JsonValue, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Node } from '../platform/model.ts';
import type { Call } from './call.ts';
import { badRequest } from './input.ts';
import { known } from './known.ts';
import { nodeDatabaseRow, nodeDetail, nodeRow, nodeStatus } from './node-rows.ts';
import { pageOf } from './paging.ts';
import type { Route } from './route.ts';
import { flag, maybe, text, texts } from './shapes.ts';
import { searchFor } from './text.ts';

export const nodeRoutes: readonly Route[] = [
  { method: 'POST', path: '/node', section: '6', mark: 'GO', handle: register },
  { method: 'PUT', path: '/node', section: '6', mark: 'GO', handle: update },
  { method: 'DELETE', path: '/node', section: '6', mark: 'GO', handle: remove },
  { method: 'GET', path: '/node', section: '6', mark: 'GO', handle: list },
  { method: 'GET', path: '/node/:id', section: '6', mark: 'GO', handle: get },
  { method: 'GET', path: '/node/name/:name', section: '6', mark: 'GO, DAYU', handle: getByName },
  { method: 'GET', path: '/node/name/check', section: '6', mark: 'GO', handle: checkName },
  { method: 'GET', path: '/node/address/check', section: '6', mark: 'GO', handle: checkAddress },
  { method: 'GET', path: '/node/status', section: '6', mark: 'GO, DAYU, FT', handle: statuses },
  { method: 'PUT', path: '/node/type', section: '6', mark: 'GO', handle: refreshTypes },
  { method: 'GET', path: '/node/type/check', section: '6', mark: 'GO', handle: checkTypes },
];

export function knownNode(platform: Platform, id: string): Node {
  return known(platform.node(id), 'nodeNotFound', id);
}

function register(call: Call): null {
  const body = call.body(shape.object({ address: text, name: text, password: shape.string(), tls: maybe(flag) }));
  const { name, password, tls } = body;
  call.platform.addNode({ name, password, tls: Boolean(tls), ...addressOf(body.address) });
  return null;
}

function update(call: Call): null {
  const body = call.body(shape.object({ id: text, address: text, name: text, password: shape.string(), tls: flag }));
  const { name, password, tls } = body;
  const { id } = knownNode(call.platform, body.id);
  call.platform.updateNode(id, { name, password, tls: Boolean(tls), ...addressOf(body.address) });
  return null;
}

/** Status 200 even if nothing was deleted; the data then contains the services that use the nodes. */
function remove(call: Call): JsonValue {
  const { ids } = call.body(shape.object({ ids: texts }));
  const unique = [...new Set(ids)];
  for (const id of unique) knownNode(call.platform, id);
  const conflicts = call.platform.deleteNodes(unique);
  if (conflicts.length === 0) return 'success';
  return conflicts.map(({ node, services }) => ({
    id: node.id,
    name: node.name,
    serves: services.map(({ id, name }) => ({ id, name })),
  }));
}

function list(call: Call): JsonObject {
  const isFound = searchFor(call.query.text('name'));
  const isBasic = call.query.flag('basicInfo') ?? false;
  const nodes = call.platform.nodes().filter(({ name }) => isFound(name));
  return pageOf(call, nodes, (node) => nodeRow(call.platform, node, isBasic));
}

function get(call: Call): JsonObject {
  return nodeDetail(knownNode(call.platform, call.parameter('id')), call.behaviour);
}

function getByName(call: Call): JsonObject {
  const name = call.parameter('name');
  return nodeDatabaseRow(known(call.platform.nodeNamed(name), 'nodeNotFound', name), call.behaviour);
}

function checkName({ platform, query }: Call): boolean {
  const node = platform.nodeNamed(query.required('name'));
  return node !== undefined && node.id !== query.text('id');
}

function checkAddress({ platform, query }: Call): boolean {
  const { ip, port } = addressOf(query.required('address'));
  const except = query.text('id');
  return platform.nodes().some((node) => node.ip === ip && node.port === port && node.id !== except);
}

/** Unknown nodes are omitted. */
function statuses({ platform, query }: Call): JsonObject {
  const nodes = query.all('ids').flatMap((id) => platform.node(id) ?? []);
  return { nodes: nodes.map((node) => nodeStatus(platform, node)) };
}

function refreshTypes({ platform }: Call): null {
  platform.refreshNodeTypes();
  return null;
}

function checkTypes({ platform }: Call): readonly JsonObject[] {
  return platform
    .nodes()
    .filter((node) => node.type !== node.trueType)
    .map(({ id, ip, port, name, type, trueType }) => ({ id, ip, port, name, type, newType: trueType }));
}

/** `10.0.0.7:1112`, `[fd00::7]:1112` or a host name with a port. */
function addressOf(address: string): { readonly ip: string; readonly port: number } {
  const [, ip = '', digits = ''] = /^([^\s/?#@]+):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (ip === '' || port < 1 || port > 65_535)
    throw badRequest('address', 'should be an address and a port: 10.0.0.7:1112');
  return { ip, port };
}
