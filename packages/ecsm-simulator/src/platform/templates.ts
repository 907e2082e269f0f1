/** Service templates in folders, and their deployment. A path is either a template or a folder. */
import { deepEqual } from '@ecsm/runtime';
import type { DeployOutcome } from './contract.ts';
import type { DeployAction, ServiceSpec, Template } from './model.ts';
import { Refusal, refusals } from './refusal.ts';
import { createService, type Deployed, updateService } from './services.ts';
import { specOf } from './spec.ts';
import type { World } from './world.ts';

type NewTemplate = Pick<Template, 'kind' | 'name' | 'folder' | 'service'>;

/** The path of a template: its folder and name. */
export function templatePath({ folder, name }: Pick<Template, 'folder' | 'name'>): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** Creates missing parent folders. */
export function addTemplate(world: World, wanted: NewTemplate): Template {
  checkName(wanted.name);
  if ((wanted.kind === 'service') !== (wanted.service !== null)) throw new Refusal('badRequest', wanted.name);
  const folder = cleanPath(wanted.folder);
  requireFolders(world, folder);
  requireFreePath(world, templatePath({ folder, name: wanted.name }));
  createFolders(world, folder);
  return add(world, { kind: wanted.kind, name: wanted.name, folder, service: wanted.service });
}

export function updateTemplate(
  world: World,
  id: string,
  change: { readonly name?: string; readonly service?: ServiceSpec },
): Template {
  const template = requireTemplate(world, id);
  if (change.service !== undefined && template.kind === 'folder') throw new Refusal('badRequest', template.name);
  if (change.name !== undefined && change.name !== template.name) {
    checkName(change.name);
    requireFreePath(world, templatePath({ folder: template.folder, name: change.name }));
    relocate(world, template, template.folder, change.name);
  }
  if (change.service !== undefined) template.service = change.service;
  template.updatedMs = world.nowMs;
  return template;
}

/** Like `mv`: into the destination if it is a folder, else to that path. */
export function moveTemplate(world: World, source: string, destination: string): Template {
  const template = atPath(world, cleanPath(source));
  if (template === undefined) throw new Refusal('templateNotFound', source);
  const to = cleanPath(destination);
  const target = atPath(world, to);
  const isInto = to === '/' || target?.kind === 'folder';
  const folder = isInto ? to : to.slice(0, to.lastIndexOf('/')) || '/';
  const name = isInto ? template.name : to.slice(to.lastIndexOf('/') + 1);
  const from = templatePath(template);
  if (folder === from || folder.startsWith(`${from}/`)) throw new Refusal('badRequest', `${source} → ${destination}`);
  checkName(name);
  requireFolders(world, folder);
  if (templatePath({ folder, name }) !== from) requireFreePath(world, templatePath({ folder, name }));
  createFolders(world, folder);
  relocate(world, template, folder, name);
  template.updatedMs = world.nowMs;
  return template;
}

/** Deletes a folder with its content. Services that were deployed from it are not changed. */
export function deleteTemplate(world: World, id: string): void {
  const template = requireTemplate(world, id);
  const path = templatePath(template);
  for (const other of [...world.templates.values()]) {
    if (template.kind === 'folder' && isInside(other.folder, path)) world.templates.delete(other.id);
  }
  world.templates.delete(id);
}

/** Creates the service with the template's name, or updates it if it differs or `force` is set. */
export function deployTemplate(world: World, id: string, action: DeployAction, force: boolean): DeployOutcome {
  const template = requireTemplate(world, id);
  if (template.service === null) throw new Refusal('badRequest', template.name);
  const spec = { ...template.service, name: template.name, image: { ...template.service.image, action } };
  const existing = world.servicesByName.get(template.name);
  try {
    if (existing === undefined)
      return outcome(id, 'created', createService(world, spec, { pathLabel: template.folder }));
    if (!force && deepEqual(specOf(existing), specOf(spec))) {
      return { templateId: id, result: 'failed', serviceId: existing.id, taskIds: [], error: '服务已部署, 没有变化' };
    }
    const deployed = updateService(world, existing.id, spec, force);
    world.requireService(deployed.id).pathLabel = template.folder;
    return outcome(id, 'updated', deployed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = error.why === 'imageNotFound' ? refusals.imageNotFound.text : error.message;
    return { templateId: id, result: 'failed', serviceId: existing?.id ?? null, taskIds: [], error: text };
  }
}

function outcome(templateId: string, result: 'created' | 'updated', { id, taskIds }: Deployed): DeployOutcome {
  return { templateId, result, serviceId: id, taskIds, error: null };
}

function relocate(world: World, template: Template, folder: string, name: string): void {
  const from = templatePath(template);
  const to = templatePath({ folder, name });
  template.folder = folder;
  template.name = name;
  if (template.kind !== 'folder') return;
  for (const other of world.templates.values()) {
    if (isInside(other.folder, from)) other.folder = to + other.folder.slice(from.length);
  }
}

function isInside(folder: string, path: string): boolean {
  return folder === path || folder.startsWith(`${path}/`);
}

function createFolders(world: World, path: string): void {
  let folder = '/';
  for (const name of path.split('/').filter((part) => part !== '')) {
    if (atPath(world, templatePath({ folder, name })) === undefined) {
      add(world, { kind: 'folder', name, folder, service: null });
    }
    folder = templatePath({ folder, name });
  }
}

/** Throws a `Refusal` if a parent folder is a template. */
function requireFolders(world: World, path: string): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const parent = atPath(world, path.slice(0, end));
    if (parent?.kind === 'service') throw new Refusal('templateNameTaken', path.slice(0, end));
  }
}

function add(world: World, template: NewTemplate): Template {
  const times = { createdMs: world.nowMs, updatedMs: world.nowMs };
  const added: Template = { id: world.uuid().replaceAll('-', ''), ...template, ...times };
  world.templates.set(added.id, added);
  return added;
}

function atPath(world: World, path: string): Template | undefined {
  for (const template of world.templates.values()) if (templatePath(template) === path) return template;
  return undefined;
}

function requireFreePath(world: World, path: string): void {
  if (atPath(world, path) !== undefined) throw new Refusal('templateNameTaken', path);
}

function requireTemplate(world: World, id: string): Template {
  const template = world.templates.get(id);
  if (template === undefined) throw new Refusal('templateNotFound', id);
  return template;
}

function checkName(name: string): void {
  if (name.trim() === '' || name.includes('/')) {
    throw new Refusal('badRequest', 'name', { name: 'is required, without "/"' });
  }
}

/** Normalizes a path: `a//b/` becomes `/a/b`. */
export function cleanPath(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}
