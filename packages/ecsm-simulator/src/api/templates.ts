/** Templates of services, in folders ("service choreography"): kept, moved and found. Changes: template-updates.ts. */
import { type JsonObject, type JsonValue, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Image, ServiceSpec, Template } from '../platform/model.ts';
import { Refusal } from '../platform/refusal.ts';
import { cleanPath } from '../platform/templates.ts';
import type { Call } from './call.ts';
import { badRequest } from './input.ts';
import { known } from './known.ts';
import type { Route } from './route.ts';
import { text, texts } from './shapes.ts';
import { pathOfTemplate, templateDetail, templateFound, templateTree } from './template-rows.ts';
import { defaultPullPolicy, isWithin, joinPath, searchFor } from './text.ts';

const base = '/provision-template/path-label';

export const templateRoutes: readonly Route[] = [
  { method: 'POST', path: `${base}/service/batch`, section: '9.1', mark: 'DOC', handle: create },
  { method: 'POST', path: `${base}/folder`, section: '9.1', mark: 'FORK', handle: createFolder },
  { method: 'PUT', path: `${base}/move`, section: '9.1', mark: 'FORK', handle: move },
  { method: 'GET', path: `${base}/tree`, section: '9.1', mark: 'FORK', handle: tree },
  { method: 'GET', path: '/provision-template/:id', section: '9.1', mark: 'FORK', handle: get },
  { method: 'GET', path: base, section: '9.1', mark: 'FORK', handle: getByPath },
  { method: 'GET', path: `${base}/search`, section: '9.1', mark: 'FORK', handle: search },
  { method: 'DELETE', path: `${base}/:id`, section: '9.1', mark: 'FORK', handle: remove },
  { method: 'DELETE', path: base, section: '9.1', mark: 'FORK', handle: removeSeveral },
];

export function templateAt(platform: Platform, path: string): Template | undefined {
  const clean = cleanPath(path);
  return platform.templates().find((template) => pathOfTemplate(template) === clean);
}

export function knownTemplate(platform: Platform, id: string): Template {
  return known(platform.template(id), 'templateNotFound', id);
}

/** One template for each image, called like it. All of them or none. */
function create(call: Call): JsonObject {
  const { platform } = call;
  const { imageRefs, path } = call.body(shape.object({ imageRefs: texts, path: text }));
  const folder = cleanPath(path);
  const wanted = imageRefs.map((ref) => {
    const image = platform.imageByRef(ref);
    if (!image) throw new Refusal('imageNotFound', ref, { imageRefs: 'should name images of the local registry' });
    return { ref, image, name: image.name.replaceAll('/', '-') };
  });
  const taken = new Set(platform.templates().map(pathOfTemplate));
  for (const { name } of wanted) {
    const full = joinPath(folder, name);
    if (taken.has(full)) throw new Refusal('templateNameTaken', full);
    taken.add(full);
  }
  const made = wanted.map(({ ref, image, name }) =>
    platform.addTemplate({ kind: 'service', name, folder, service: firstSpec(name, ref, image) }),
  );
  return { provisionTmplList: made.map(({ id, name }) => ({ id, name })) };
}

/** The specification from the image; the user adds the nodes later. */
function firstSpec(name: string, ref: string, { config }: Image): ServiceSpec {
  const image = { ref, action: 'run', config, pullPolicy: defaultPullPolicy(ref), autoUpgrade: 'Never' } as const;
  return { name, image, nodeNames: [], factor: 1, policy: 'static', prepull: false };
}

function createFolder(call: Call): JsonObject {
  const { name, path } = call.body(shape.object({ name: text, path: text }));
  const folder = call.platform.addTemplate({ kind: 'folder', name, folder: cleanPath(path), service: null });
  return { id: folder.id, path: pathOfTemplate(folder) };
}

function move(call: Call): JsonObject {
  const { src, dst } = call.body(shape.object({ src: text, dst: text }));
  known(templateAt(call.platform, src), 'templateNotFound', src);
  return { id: call.platform.moveTemplate(cleanPath(src), cleanPath(dst)).id };
}

function tree({ platform, query }: Call): JsonObject {
  const path = cleanPath(query.text('path') ?? '/');
  const level = query.integer('level');
  if (level !== undefined && level < 1) throw badRequest('level', 'should be at least 1');
  const isFull = query.word('model', ['simple', 'full']) === 'full';
  const root = path === '/' ? undefined : known(templateAt(platform, path), 'templateNotFound', path);
  const levels = level ?? Number.POSITIVE_INFINITY;
  return templateTree(path, root, platform.templates(), { levels, isFull, behaviour: platform.behaviour });
}

function get(call: Call): JsonObject {
  return templateDetail(knownTemplate(call.platform, call.parameter('id')), call.behaviour);
}

function getByPath({ platform, query }: Call): JsonObject {
  const path = query.required('path');
  return templateDetail(known(templateAt(platform, path), 'templateNotFound', path), platform.behaviour);
}

function search({ platform, query, behaviour }: Call): JsonValue {
  const isFound = searchFor(query.text('key'));
  const folder = cleanPath(query.text('path') ?? '/');
  const kind = query.word('kind', ['folder', 'service']);
  const found = platform
    .templates()
    .filter(
      (template) =>
        isFound(template.name) &&
        isWithin(pathOfTemplate(template), folder) &&
        (kind === undefined || template.kind === kind),
    )
    .map((template) => templateFound(template, behaviour));
  return behaviour.templateSearch === 'list' ? found : (found[0] ?? null);
}

function remove(call: Call): JsonObject {
  const { id } = knownTemplate(call.platform, call.parameter('id'));
  call.platform.deleteTemplate(id);
  return { id };
}

/** By path, or by ids, which the only public client sends in a field named `id`. */
function removeSeveral(call: Call): JsonObject {
  const { platform } = call;
  const body = call.body(
    shape.object({ path: shape.optional(text), id: shape.optional(texts), ids: shape.optional(texts) }),
  );
  if (body.path !== undefined) {
    const { id } = known(templateAt(platform, body.path), 'templateNotFound', body.path);
    platform.deleteTemplate(id);
    return { id };
  }
  const ids = body.ids ?? body.id;
  if (ids === undefined) throw badRequest('path', 'is missing');
  const templates = ids.map((id) => knownTemplate(platform, id));
  for (const { id } of templates) {
    // It may have been deleted together with its folder.
    if (platform.template(id)) platform.deleteTemplate(id);
  }
  return { id: ids };
}
