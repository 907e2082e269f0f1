/** Routes that update one or several templates, with or without a deployment. */
import { type JsonObject, type Shaped, shape } from '@ecsm/runtime';
import type { DeployAction, ServiceSpec, Template } from '../platform/model.ts';
import { Refusal, refusals } from '../platform/refusal.ts';
import type { Call } from './call.ts';
import { badRequest } from './input.ts';
import type { Route } from './route.ts';
import { actionShape, configShape, factorShape, policyShape, pullPolicyShape, vsoaShape } from './service-body.ts';
import { maybe, text, texts } from './shapes.ts';
import { deployObject } from './template-rows.ts';
import { knownTemplate, templateAt } from './templates.ts';

export const templateUpdateRoutes: readonly Route[] = [
  { method: 'PUT', path: '/provision-templates/:id', section: '9.1', mark: 'FORK', handle: update },
  { method: 'PUT', path: '/provision-templates', section: '9.1', mark: 'DOC', handle: updateImagesById },
  { method: 'PUT', path: '/provision-templates/images', section: '9.1', mark: 'FORK', handle: updateImagesByName },
];

/** The only public client cannot omit a structure, and sends empty fields instead. */
const empty = shape.exactly('');
const changedSpec = shape.object({
  image: maybe(
    shape.object({
      ref: maybe(shape.string()),
      config: maybe(configShape),
      vsoa: maybe(vsoaShape),
      pullPolicy: maybe(shape.either(pullPolicyShape, empty)),
    }),
  ),
  node: maybe(shape.object({ names: maybe(texts) })),
  factor: maybe(factorShape),
  policy: maybe(shape.either(policyShape, empty)),
  prepull: maybe(shape.boolean()),
});
const action = maybe(actionShape);
const changedTemplate = shape.object({ name: maybe(shape.string()), templates: maybe(changedSpec), action });
const changedImagesById = shape.object({
  templates: shape.list(shape.object({ id: text, imageRef: text, action })),
  action,
});
const changedImagesByName = shape.object({
  templates: shape.list(shape.object({ name: text, imageRef: text, action })),
  action,
});

function update(call: Call): JsonObject {
  const { platform, behaviour } = call;
  const body = call.body(changedTemplate);
  const template = knownTemplate(platform, call.parameter('id'));
  if (!template.service && (body.templates || body.action)) throw badRequest('templates', 'cannot be set for a folder');
  platform.updateTemplate(template.id, {
    ...(body.name ? { name: body.name } : {}),
    ...(body.templates && template.service ? { service: changed(template.service, body.templates) } : {}),
  });
  const outcome = body.action ? platform.deployTemplate(template.id, body.action, true) : undefined;
  return { id: template.id, deployResult: outcome ? deployObject(outcome, behaviour) : null };
}

function changed(service: ServiceSpec, change: Shaped<typeof changedSpec>): ServiceSpec {
  const { image, node } = change;
  return {
    ...service,
    image: {
      ...service.image,
      ...(image?.ref ? { ref: image.ref } : {}),
      ...(image?.config ? { config: image.config } : {}),
      ...(image?.vsoa ? { vsoa: image.vsoa } : {}),
      ...(image?.pullPolicy ? { pullPolicy: image.pullPolicy } : {}),
    },
    nodeNames: node?.names ?? service.nodeNames,
    factor: change.factor ?? service.factor,
    policy: change.policy || service.policy,
    prepull: change.prepull ?? service.prepull,
  };
}

function updateImagesById(call: Call): readonly JsonObject[] {
  const body = call.body(changedImagesById);
  return body.templates.map(({ id, imageRef, action }) => {
    const template = call.platform.template(id);
    return { id, ...updateImage(call, template, imageRef, action ?? body.action ?? undefined) };
  });
}

/** `name` is the full path of the template. */
function updateImagesByName(call: Call): readonly JsonObject[] {
  const body = call.body(changedImagesByName);
  return body.templates.map(({ name, imageRef, action }) => {
    const template = templateAt(call.platform, name);
    const result = updateImage(call, template, imageRef, action ?? body.action ?? undefined);
    return { id: template?.id ?? null, name, ...result };
  });
}

/** A failure does not affect the other templates. Start parameters do not change. */
function updateImage(
  { platform, behaviour }: Call,
  template: Template | undefined,
  ref: string,
  action: DeployAction | undefined,
): JsonObject {
  if (!template?.service) return { result: false, message: refusals.templateNotFound.text };
  if (!platform.imageByRef(ref)) return { result: false, message: refusals.imageNotFound.text };
  try {
    const { service } = template;
    platform.updateTemplate(template.id, { service: { ...service, image: { ...service.image, ref } } });
    if (!action) return { result: true, message: 'successful' };
    const outcome = platform.deployTemplate(template.id, action, true);
    return { result: true, message: 'successful', deployResult: deployObject(outcome, behaviour) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { result: false, message: error.message };
  }
}
