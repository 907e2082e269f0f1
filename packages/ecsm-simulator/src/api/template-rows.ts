/** Templates, their tree and their deployments in responses. */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { DeployOutcome } from '../platform/contract.ts';
import type { ServiceSpec, Template } from '../platform/model.ts';
import { cleanPath } from '../platform/templates.ts';
import { imageObject } from './service-rows.ts';
import { joinPath } from './text.ts';
import { timeText } from './times.ts';

export function pathOfTemplate({ folder, name }: Template): string {
  return joinPath(folder, name);
}

export function deployObject(outcome: DeployOutcome, { templateIdField }: Behaviour): JsonObject {
  return {
    [templateIdField]: outcome.templateId,
    result: outcome.result,
    provisionId: outcome.serviceId,
    tasks: outcome.taskIds.map((id) => ({ id })),
    error: outcome.error,
  };
}

/** One result of `templates-path-label`, as the only public client of it decodes it. */
export function deployedObject({ serviceId, taskIds }: DeployOutcome): JsonObject {
  return { id: serviceId, containers: taskIds };
}

function timesOf({ createdMs = 0, updatedMs = 0 }: Template, behaviour: Behaviour): JsonObject {
  return {
    createdTime: timeText(createdMs, 'service', behaviour),
    updatedTime: timeText(updatedMs, 'service', behaviour),
  };
}

export function templateDetail(template: Template, behaviour: Behaviour): JsonObject {
  const { id, name, kind, service } = template;
  return { id, name, kind, spec: service && specObject(service), ...timesOf(template, behaviour) };
}

export function templateFound(template: Template, behaviour: Behaviour): JsonObject {
  const { id, name, kind } = template;
  const { hostname, node } = summary(template);
  return { id, name, kind, hostname, realpath: pathOfTemplate(template), node, ...timesOf(template, behaviour) };
}

interface TreeOptions {
  /** Number of levels below the root of the tree. */
  readonly levels: number;
  /** Whether each node of the tree contains its template. */
  readonly isFull: boolean;
  readonly behaviour: Behaviour;
}

/** The tree below a path; `root` is undefined for `/`, which is not a template. */
export function templateTree(
  path: string,
  root: Template | undefined,
  templates: readonly Template[],
  options: TreeOptions,
): JsonObject {
  const byFolder = groupedByFolder(templates);
  const grow = (at: string, template: Template | undefined, levels: number): JsonObject => {
    const below = byFolder.get(at) ?? [];
    const children = levels > 0 ? below.map((one) => [one.name, grow(pathOfTemplate(one), one, levels - 1)]) : [];
    return {
      name: template?.name ?? '/',
      realpath: at,
      childCount: below.length,
      data: options.isFull && template ? treeData(template, options.behaviour) : null,
      children: Object.fromEntries(children),
    };
  };
  return grow(path, root, options.levels);
}

function groupedByFolder(templates: readonly Template[]): ReadonlyMap<string, readonly Template[]> {
  const groups = new Map<string, Template[]>();
  for (const template of templates) {
    const folder = cleanPath(template.folder);
    const group = groups.get(folder);
    if (group) group.push(template);
    else groups.set(folder, [template]);
  }
  return groups;
}

function treeData(template: Template, behaviour: Behaviour): JsonObject {
  const { id, name, kind } = template;
  return { id, name, kind, ...summary(template), ...timesOf(template, behaviour) };
}

function summary({ service }: Template): { readonly hostname: JsonValue; readonly node: JsonObject } {
  const hostname = service?.image.config['hostname'] ?? null;
  return { hostname, node: { names: service?.nodeNames ?? [] } };
}

function specObject({ image, nodeNames, factor, policy, prepull }: ServiceSpec): JsonObject {
  const { ref = null, config = null, vsoa = null, pullPolicy = null } = imageObject(image);
  return { image: { ref, config, vsoa, pullPolicy }, node: { names: nodeNames }, factor, policy, prepull };
}
