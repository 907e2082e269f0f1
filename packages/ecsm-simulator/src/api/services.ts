/** Routes of single services. Several services: service-batches.ts. */
import { type JsonObject, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Service } from '../platform/model.ts';
import type { Call } from './call.ts';
import { known } from './known.ts';
import { pageOf } from './paging.ts';
import type { Route } from './route.ts';
import { serviceBody, serviceChange, specOf } from './service-body.ts';
import { serviceDetail, serviceRow } from './service-rows.ts';
import { text } from './shapes.ts';
import { searchFor } from './text.ts';
import { transactionObject } from './transactions.ts';

export const serviceRoutes: readonly Route[] = [
  { method: 'POST', path: '/service', section: '2.1', mark: 'DOC', handle: create },
  { method: 'GET', path: '/service', section: '2.2', mark: 'GO, DAYU, CTRL', handle: list },
  { method: 'GET', path: '/service/:id', section: '2.3', mark: 'GO, FT, CTRL', handle: get },
  { method: 'PUT', path: '/service', section: '2.4', mark: 'GO, CTRL', handle: update },
  { method: 'DELETE', path: '/service/:id', section: '2.5', mark: 'GO', handle: remove },
  { method: 'PUT', path: '/service/deployment/restart', section: '2.10', mark: 'FORK', handle: redeploy },
  { method: 'PUT', path: '/service/rollback', section: '2.11', mark: 'FORK', handle: rollback },
  { method: 'GET', path: '/service/name/check', section: '2.12', mark: 'FORK', handle: checkName },
  { method: 'GET', path: '/service/summary', section: '2.13', mark: 'FORK', handle: summarise },
  { method: 'PUT', path: '/service/container', section: '2.14', mark: 'GO', handle: controlContainers },
];

export const containerActions = ['start', 'stop', 'restart', 'pause', 'unpause'] as const;

export function knownService(platform: Platform, id: string): Service {
  return known(platform.service(id), 'serviceNotFound', id);
}

/**
 * The filters of all lists of services; the name of `imageId` differs. Absent filters are not evaluated, so that the
 * unfiltered list, which controllers poll, is fast.
 */
export function selectServices(
  { platform, query }: Call,
  name: string | undefined,
  imageId: string | undefined,
): readonly Service[] {
  const tests: ((service: Service) => boolean)[] = [];
  if (name !== undefined) {
    const isFound = searchFor(name);
    tests.push((service) => isFound(service.name));
  }
  const label = query.text('label');
  if (label !== undefined) {
    const isFound = searchFor(label);
    tests.push(({ pathLabel }) => isFound(pathLabel));
  }
  const nodeId = query.text('nodeId');
  if (nodeId !== undefined) {
    const node = platform.node(nodeId);
    tests.push(({ nodeNames }) => node !== undefined && nodeNames.includes(node.name));
  }
  if (imageId !== undefined) {
    const idOf = imageIds(platform);
    tests.push(({ image }) => idOf(image.ref) === imageId);
  }
  const services = platform.services();
  return tests.length === 0 ? services : services.filter((service) => tests.every((test) => test(service)));
}

/** Caches image ids, because many services have the same image reference. */
function imageIds(platform: Platform): (ref: string) => string | undefined {
  const ids = new Map<string, string | undefined>();
  return (ref) => {
    if (!ids.has(ref)) ids.set(ref, platform.imageByRef(ref)?.id);
    return ids.get(ref);
  };
}

function create(call: Call): JsonObject {
  const { id, taskIds } = call.platform.createService(specOf(call.body(serviceBody)));
  return { id, containers: taskIds };
}

function list(call: Call): JsonObject {
  // On the platform, `id` is the id of an image, not of a service.
  const services = selectServices(call, call.query.text('name'), call.query.text('id'));
  return pageOf(call, services, (service) => serviceRow(call.platform, service));
}

function get(call: Call): JsonObject {
  return serviceDetail(call.platform, knownService(call.platform, call.parameter('id')));
}

function update(call: Call): JsonObject {
  const body = call.body(serviceChange);
  const { prepull } = knownService(call.platform, body.id);
  const { id, taskIds } = call.platform.updateService(body.id, specOf(body, prepull));
  return { id, containers: taskIds };
}

function remove(call: Call): JsonObject {
  const { id } = knownService(call.platform, call.parameter('id'));
  return { transactionId: call.platform.deleteService(id).id };
}

function redeploy(call: Call): null {
  const { id } = call.body(shape.object({ id: text }));
  call.platform.redeployService(knownService(call.platform, id).id);
  return null;
}

function rollback(call: Call): JsonObject {
  const { id, recordId } = call.body(shape.object({ id: text, recordId: text }));
  const service = knownService(call.platform, id);
  const record = known(call.platform.record(recordId), 'recordNotFound', recordId);
  return transactionObject(call.platform.rollbackService(service.id, record.id));
}

function checkName({ platform, query }: Call): boolean {
  const service = platform.serviceNamed(query.required('name'));
  return service !== undefined && service.id !== query.text('id');
}

function summarise({ platform }: Call): JsonObject {
  const services = platform.services();
  return { total: services.length, health: services.filter((service) => platform.isHealthy(service)).length };
}

function controlContainers(call: Call): JsonObject {
  const body = shape.object({ serviceId: text, action: shape.exactly(...containerActions) });
  const { serviceId, action } = call.body(body);
  const service = knownService(call.platform, serviceId);
  return transactionObject(call.platform.controlService(service.id, action));
}
