/** Templates of services, in folders, and their deployment. A template and a folder of one path exclude each other. */
import { deepEqual } from '@ecsm/runtime';
import type { DeployOutcome } from './contract.ts';
import type { DeployAction, ServiceSpec, Template } from './model.ts';
import { Refusal, refusals } from './refusal.ts';
import { createService, type Deployed, updateService } from './services.ts';
import { specOf } from './spec.ts';
import type { World } from './world.ts';

/** The path of a template: its folder, and its name. */
export function templatePath({ folder, name }: Pick<Template, 'folder' | 'name'>): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** Folders on the way that are not there yet are made. */
export function addTemplate(world: World, wanted: Omit<Template, 'id'>): Template {
  checkName(wanted.name);
  if ((wanted.kind === 'service') !== (wanted.service !== null)) throw new Refusal('badRequest', wanted.name);
  const folder = tidy(wanted.folder);
  mustBeFolders(world, folder);
  mustBeFree(world, templatePath({ folder, name: wanted.name }));
  makeFolders(world, folder);
  return add(world, { kind: wanted.kind, name: wanted.name, folder, service: wanted.service });
}

export function updateTemplate(
  world: World,
  id: string,
  change: { readonly name?: string; readonly service?: ServiceSpec },
): Template {
  const template = mustHaveTemplate(world, id);
  if (change.service !== undefined && template.kind === 'folder') throw new Refusal('badRequest', template.name);
  if (change.name !== undefined && change.name !== template.name) {
    checkName(change.name);
    mustBeFree(world, templatePath({ folder: template.folder, name: change.name }));
    relocate(world, template, template.folder, change.name);
  }
  if (change.service !== undefined) template.service = change.service;
  return template;
}

/** As `mv` does it: into the destination if that is a folder, else to that very path. */
export function moveTemplate(world: World, source: string, destination: string): Template {
  const template = atPath(world, tidy(source));
  if (template === undefined) throw new Refusal('templateNotFound', source);
  const to = tidy(destination);
  const target = atPath(world, to);
  const isInto = to === '/' || target?.kind === 'folder';
  const folder = isInto ? to : to.slice(0, to.lastIndexOf('/')) || '/';
  const name = isInto ? template.name : to.slice(to.lastIndexOf('/') + 1);
  const from = templatePath(template);
  if (folder === from || folder.startsWith(`${from}/`)) throw new Refusal('badRequest', `${source} → ${destination}`);
  checkName(name);
  mustBeFolders(world, folder);
  if (templatePath({ folder, name }) !== from) mustBeFree(world, templatePath({ folder, name }));
  makeFolders(world, folder);
  relocate(world, template, folder, name);
  return template;
}

/** A folder goes with all that is in it. Services that were deployed from it stay. */
export function deleteTemplate(world: World, id: string): void {
  const template = mustHaveTemplate(world, id);
  const path = templatePath(template);
  for (const other of [...world.templates.values()]) {
    if (template.kind === 'folder' && isInside(other.folder, path)) world.templates.delete(other.id);
  }
  world.templates.delete(id);
}

/** The service of the template's name is made, or updated if it differs or must be; its path label is the folder. */
export function deployTemplate(world: World, id: string, action: DeployAction, force: boolean): DeployOutcome {
  const template = mustHaveTemplate(world, id);
  if (template.service === null) throw new Refusal('badRequest', template.name);
  const spec = { ...template.service, name: template.name, image: { ...template.service.image, action } };
  const there = world.servicesByName.get(template.name);
  try {
    if (there === undefined) return outcome(id, 'created', createService(world, spec, { pathLabel: template.folder }));
    if (!force && deepEqual(specOf(there), specOf(spec))) {
      return { templateId: id, result: 'failed', serviceId: there.id, taskIds: [], error: '服务已部署, 没有变化' };
    }
    const deployed = updateService(world, there.id, spec, force);
    world.mustHaveService(deployed.id).pathLabel = template.folder;
    return outcome(id, 'updated', deployed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = error.why === 'imageNotFound' ? refusals.imageNotFound.text : error.message;
    return { templateId: id, result: 'failed', serviceId: there?.id ?? null, taskIds: [], error: text };
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

function makeFolders(world: World, path: string): void {
  let folder = '/';
  for (const name of path.split('/').filter((part) => part !== '')) {
    if (atPath(world, templatePath({ folder, name })) === undefined) {
      add(world, { kind: 'folder', name, folder, service: null });
    }
    folder = templatePath({ folder, name });
  }
}

/** None of the folders on the way may be a template. */
function mustBeFolders(world: World, path: string): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const there = atPath(world, path.slice(0, end));
    if (there?.kind === 'service') throw new Refusal('templateNameTaken', path.slice(0, end));
  }
}

function add(world: World, template: Omit<Template, 'id'>): Template {
  const added: Template = { id: world.uuid().replaceAll('-', ''), ...template };
  world.templates.set(added.id, added);
  return added;
}

function atPath(world: World, path: string): Template | undefined {
  for (const template of world.templates.values()) if (templatePath(template) === path) return template;
  return undefined;
}

function mustBeFree(world: World, path: string): void {
  if (atPath(world, path) !== undefined) throw new Refusal('templateNameTaken', path);
}

function mustHaveTemplate(world: World, id: string): Template {
  const template = world.templates.get(id);
  if (template === undefined) throw new Refusal('templateNotFound', id);
  return template;
}

function checkName(name: string): void {
  if (name.trim() === '' || name.includes('/')) {
    throw new Refusal('badRequest', 'name', { name: 'has to be there, without "/"' });
  }
}

/** `a//b/` becomes `/a/b`. */
function tidy(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}
