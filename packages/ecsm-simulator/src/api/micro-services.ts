/** Routes of micro-services: services with a `vsoa` section, their load balancing and ports. */
import { type JsonObject, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Container, Service } from '../platform/model.ts';
import type { Call } from './call.ts';
import { containerObject } from './container-rows.ts';
import { known } from './known.ts';
import { pageOf } from './paging.ts';
import type { Route } from './route.ts';
import { selectServices } from './services.ts';
import { flag, maybe, text } from './shapes.ts';
import { imageNameOf, searchFor } from './text.ts';

export const microServiceRoutes: readonly Route[] = [
  { method: 'GET', path: '/micro-service', section: '9.3', mark: 'FORK', handle: list },
  { method: 'GET', path: '/micro-service/:id', section: '9.3', mark: 'FORK', handle: get },
  { method: 'PUT', path: '/micro-service', section: '9.3', mark: 'FORK', handle: update },
  { method: 'GET', path: '/micro-service/instance', section: '9.3', mark: 'FORK, FT', handle: instances },
];

function list(call: Call): JsonObject {
  const name = call.query.text('name') ?? call.query.text('keyWord');
  const services = selectServices(call, name, call.query.text('projectId')).filter(isMicroService);
  return pageOf(call, services, (service) => microServiceRow(call.platform, service));
}

function get(call: Call): JsonObject {
  const service = knownMicroService(call.platform, call.parameter('id'));
  const { detail } = call.platform.loadBalanceOf(service.id);
  return {
    ...microServiceRow(call.platform, service),
    boDynamic: service.policy === 'dynamic',
    loadBalanceDetail: detail.map(({ master, id }) => ({ master, id })),
  };
}

function update(call: Call): null {
  const body = call.body(
    shape.object({
      id: text,
      loadBalance: shape.exactly('roundRobin', 'masterSlave'),
      loadBalanceDetail: maybe(
        shape.list(shape.object({ id: text, master: shape.either(flag, shape.exactly('true', 'false')) })),
      ),
    }),
  );
  const service = knownMicroService(call.platform, body.id);
  const detail = (body.loadBalanceDetail ?? []).map(({ id, master }) => ({
    id,
    // The only public client sends it as text.
    master: typeof master === 'string' ? master === 'true' : Boolean(master),
  }));
  call.platform.setLoadBalance(service.id, { mode: body.loadBalance, detail });
  return null;
}

function instances(call: Call): JsonObject {
  const { platform, query } = call;
  const service = knownMicroService(platform, query.required('id'));
  const isFound = searchFor(query.text('keyWord'));
  const containers = platform.containersOfService(service.id).filter(({ name }) => isFound(name));
  return pageOf(call, containers, (container) => instanceObject(platform, container));
}

function instanceObject(platform: Platform, container: Container): JsonObject {
  return {
    ...containerObject(platform, container),
    ip: platform.node(container.nodeId)?.ip ?? null,
    vsoaPort: container.vsoaPort,
  };
}

function microServiceRow(platform: Platform, service: Service): JsonObject {
  const containers = platform.containersOfService(service.id);
  return {
    id: service.id,
    name: service.name,
    imageName: imageNameOf(service.image.ref).name,
    healthInstance: containers.filter((container) => platform.isContainerHealthy(container)).length,
    instance: containers.length,
    loadBalance: platform.loadBalanceOf(service.id).mode,
  };
}

function isMicroService({ image }: Service): boolean {
  return image.vsoa !== undefined;
}

/** By id or name: a client that was used with a real platform passes the name. */
function knownMicroService(platform: Platform, id: string): Service {
  const service = platform.service(id) ?? platform.serviceNamed(id);
  return known(service && isMicroService(service) ? service : undefined, 'serviceNotFound', id);
}
