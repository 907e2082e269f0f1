/** Templates, their tree and their deployments in responses. */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { DeployOutcome } from '../platform/contract.ts';
import type { ServiceSpec, Template } from '../platform/model.ts';
import { cleanPath } from '../platform/templates.ts';
import { imageObject } from './service-rows.ts';
import { joinPath } from './text.ts';

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

/** The simulator does not store the times of templates. */
const times = { createdTime: null, updatedTime: null };

export function templateDetail({ id, name, kind, service }: Template): JsonObject {
  return { id, name, kind, spec: service && specObject(service), ...times };
}

export function templateFound(template: Template): JsonObject {
  const { id, name, kind } = template;
  const { hostname, node } = summary(template);
  return { id, name, kind, hostname, realpath: pathOfTemplate(template), node, ...times };
}

export interface TreeOptions {
  /** Number of levels below the root of the tree. */
  readonly levels: number;
  /** Whether each node of the tree contains its template. */
  readonly isFull: boolean;
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
      data: options.isFull && template ? treeData(template) : null,
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

function treeData(template: Template): JsonObject {
  const { id, name, kind } = template;
  return { id, name, kind, ...summary(template), ...times };
}

function summary({ service }: Template): { readonly hostname: JsonValue; readonly node: JsonObject } {
  const hostname = service?.image.config['hostname'] ?? null;
  return { hostname, node: { names: service?.nodeNames ?? [] } };
}

function specObject({ image, nodeNames, factor, policy, prepull }: ServiceSpec): JsonObject {
  const { ref = null, config = null, vsoa = null, pullPolicy = null } = imageObject(image);
  return { image: { ref, config, vsoa, pullPolicy }, node: { names: nodeNames }, factor, policy, prepull };
}
