/** Routes of containers: read by task id, listed by service or node, controlled by name. */
import { type JsonObject, shape } from '@ecsm/runtime';
import type { Container } from '../platform/model.ts';
import type { Call } from './call.ts';
import { containerObject } from './container-rows.ts';
import { known } from './known.ts';
import { pageOf } from './paging.ts';
import type { Route } from './route.ts';
import { containerActions } from './services.ts';
import { text } from './shapes.ts';
import { searchFor } from './text.ts';
import { timeText } from './times.ts';
import { transactionObject } from './transactions.ts';

export const containerRoutes: readonly Route[] = [
  { method: 'GET', path: '/container/:id', section: '4.1', mark: 'DOC', handle: get },
  { method: 'GET', path: '/container/service', section: '4.2', mark: 'GO, DAYU', handle: listOfServices },
  { method: 'GET', path: '/container/node', section: '4.2', mark: 'GO, FT', handle: listOfNodes },
  { method: 'PUT', path: '/container', section: '4.3', mark: 'GO', handle: control },
  { method: 'GET', path: '/container/action/history', section: '4.4', mark: 'GO', handle: history },
];

function get(call: Call): JsonObject {
  const id = call.parameter('id');
  return containerObject(call.platform, known(call.platform.container(id), 'containerNotFound', id));
}

function listOfServices(call: Call): JsonObject {
  return listed(call, 'serviceIds', (id) => call.platform.containersOfService(id));
}

function listOfNodes(call: Call): JsonObject {
  return listed(call, 'nodeIds', (id) => call.platform.containersOfNode(id));
}

/** A loop without intermediate arrays, because only one page of all containers is returned. */
function listed(call: Call, idsName: string, containersOf: (id: string) => readonly Container[]): JsonObject {
  const { platform, query } = call;
  const key = query.text('key');
  const isFound = searchFor(key);
  const isSelected = ({ name, serviceId, nodeId }: Container) =>
    isFound(name) || isFound(platform.service(serviceId)?.name ?? '') || isFound(platform.node(nodeId)?.name ?? '');
  const chosen: Container[] = [];
  for (const id of query.all(idsName)) {
    for (const container of containersOf(id)) if (key === undefined || isSelected(container)) chosen.push(container);
  }
  return pageOf(call, chosen, (container) => containerObject(platform, container));
}

function control(call: Call): JsonObject {
  // The field `id` contains the name.
  const { id, action } = call.body(shape.object({ id: text, action: shape.exactly(...containerActions) }));
  const { name } = known(call.platform.containerNamed(id), 'containerNotFound', id);
  return transactionObject(call.platform.controlContainer(name, action));
}

/** Newest first. A deleted container may still have a history. */
function history(call: Call): JsonObject {
  const entries = call.platform.historyOf(call.query.required('id'));
  return pageOf(call, entries.toReversed(), ({ taskId, command, user, timeMs }) => ({
    id: taskId,
    cmd: command,
    user,
    time: timeText(timeMs, 'container', call.behaviour),
  }));
}
