/** Routes for several services: by id, by the path of their template, or deployed from templates. */
import { type JsonObject, type JsonValue, shape } from '@ecsm/runtime';
import type { DeployOutcome } from '../platform/contract.ts';
import type { ContainerAction, Service } from '../platform/model.ts';
import { Refusal } from '../platform/refusal.ts';
import { cleanPath } from '../platform/templates.ts';
import type { Call } from './call.ts';
import type { Route } from './route.ts';
import { containerActions, knownService } from './services.ts';
import { maybe, text, texts } from './shapes.ts';
import { deployedObject, deployObject, pathOfTemplate } from './template-rows.ts';
import { isWithin } from './text.ts';

export const serviceBatchRoutes: readonly Route[] = [
  { method: 'POST', path: '/service/:action/ids', section: '2.6', mark: 'FORK, DAYU, FT, CTRL', handle: controlIds },
  { method: 'POST', path: '/service/:action/path-label', section: '2.7', mark: 'FORK', handle: controlPath },
  {
    method: 'POST',
    path: '/service/:action/templates-path-label',
    section: '2.8',
    mark: 'FORK',
    handle: deployPaths,
  },
  { method: 'POST', path: '/service/:action/templates-ids', section: '2.8', mark: 'DOC', handle: deployIds },
  { method: 'DELETE', path: '/service/path', section: '2.9', mark: 'FORK', handle: removePath },
];

const batchActions = [...containerActions, 'destroy'] as const;
const deployActions = ['run', 'load'] as const;

function controlIds(call: Call): JsonValue {
  const action = call.word('action', batchActions);
  const { ids } = call.body(shape.object({ ids: texts }));
  return control(
    call,
    [...new Set(ids)].map((id) => knownService(call.platform, id)),
    action,
  );
}

function controlPath(call: Call): JsonValue {
  const action = call.word('action', batchActions);
  const { path } = call.body(shape.object({ path: text }));
  return control(call, servicesWithin(call, path), action);
}

/** All or none: the whole batch is validated before anything is changed. */
function control({ platform, behaviour }: Call, services: readonly Service[], action: ContainerAction | 'destroy') {
  const leaving = services.find((service) => service.deletingMs !== null);
  if (leaving && action !== 'destroy') throw new Refusal('serviceBusy', leaving.name);
  const ids = services.map(({ id }) => id);
  for (const service of services) {
    // Destroying a service that is being deleted is not an error.
    if (service.deletingMs === null) platform.controlService(service.id, action);
  }
  return behaviour.batchAnswer === 'object' ? { ids } : ids;
}

function deployPaths(call: Call): JsonValue {
  const body = call.body(shape.object({ paths: texts, force: maybe(shape.boolean()) }));
  const folders = body.paths.map(cleanPath);
  const outcomes = deploy(call, body.force ?? false, (_id, path) => folders.some((folder) => isWithin(path, folder)));
  if (call.behaviour.templateDeployment === 'results') return outcomes.map((one) => deployObject(one, call.behaviour));
  // This form has no room for an error, so what was not deployed is omitted.
  return outcomes.filter(({ result }) => result !== 'failed').map(deployedObject);
}

function deployIds(call: Call): JsonValue {
  const body = call.body(shape.object({ ids: texts, force: maybe(shape.boolean()) }));
  const ids = new Set(body.ids);
  const outcomes = deploy(call, body.force ?? false, (id) => ids.has(id));
  return outcomes.map((one) => deployObject(one, call.behaviour));
}

function deploy(
  call: Call,
  force: boolean,
  isSelected: (id: string, path: string) => boolean,
): readonly DeployOutcome[] {
  const { platform } = call;
  const action = call.word('action', deployActions);
  const templates = platform
    .templates()
    .filter((template) => template.kind === 'service' && isSelected(template.id, pathOfTemplate(template)));
  return templates.map(({ id }) => platform.deployTemplate(id, action, force));
}

function removePath(call: Call): readonly JsonObject[] {
  const { path } = call.body(shape.object({ path: text }));
  return servicesWithin(call, path).map(({ id }) => {
    try {
      return { provisionId: id, result: 'ok', transactionId: call.platform.deleteService(id).id, error: null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { provisionId: id, result: 'failed', transactionId: null, error: error.message };
    }
  });
}

/** Services that were deployed from a template have its path as a label. */
function servicesWithin({ platform }: Call, path: string): readonly Service[] {
  const folder = cleanPath(path);
  return platform.services().filter(({ pathLabel }) => pathLabel !== '' && isWithin(cleanPath(pathLabel), folder));
}
