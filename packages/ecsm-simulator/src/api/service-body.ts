/**
 * The body of create and update. Fields that the platform uses are validated; the rest of an image's configuration is
 * stored and returned unchanged.
 */
import { type JsonObject, type Shape, type Shaped, shape } from '@ecsm/runtime';
import type { ImageSpec, ServiceSpec } from '../platform/model.ts';
import { amount, bytes, jsonObject, maybe, text, texts, whole } from './shapes.ts';
import { defaultPullPolicy } from './text.ts';

const periodMsMax = 86_400_000;

const strings = shape.list(shape.string());

const kernelConfig = shape.object({
  devices: maybe(shape.list(jsonObject)),
  resources: maybe(
    shape.object({
      affinity: maybe(shape.list(shape.number())),
      cpu: maybe(shape.record(shape.nullable(shape.number()))),
      memory: maybe(shape.object({ kheapLimit: maybe(bytes), memoryLimitMB: maybe(amount) })),
      disk: maybe(shape.object({ limitMB: maybe(amount) })),
      kernelObject: maybe(shape.record(shape.nullable(shape.number()))),
    }),
  ),
  network: maybe(shape.record(shape.nullable(shape.boolean()))),
  commands: maybe(strings),
});

/** The configuration of SylixOS and Linux images in one shape; their fields do not conflict. */
const knownConfig = shape.object({
  platform: maybe(shape.object({ os: maybe(shape.string()), arch: maybe(shape.string()) })),
  process: maybe(shape.object({ args: maybe(strings), env: maybe(strings), cwd: maybe(shape.string()) })),
  root: maybe(shape.object({ path: maybe(shape.string()), readonly: maybe(shape.boolean()) })),
  hostname: maybe(shape.string()),
  mounts: maybe(
    shape.list(
      shape.object({
        destination: maybe(shape.string()),
        source: maybe(shape.string()),
        options: maybe(strings),
      }),
    ),
  ),
  sylixos: maybe(kernelConfig),
  env: maybe(shape.list(shape.anything())),
  cmd: maybe(strings),
  restart: maybe(shape.string()),
  memory: maybe(bytes),
});

export const configShape: Shape<JsonObject> = partlyChecked(knownConfig);

export const vsoaShape: Shape<JsonObject> = partlyChecked(
  shape.object({
    password: maybe(shape.string()),
    port: maybe(whole(0, 65_535)),
    healthPath: maybe(shape.string()),
    healthTimeout: maybe(whole(0, periodMsMax)),
    healthRetries: maybe(whole(0, 1_000_000)),
    healthStartPeriod: maybe(whole(0, periodMsMax)),
    healthInterval: maybe(whole(0, periodMsMax)),
    livenessProbe: maybe(shape.boolean()),
  }),
);

export const pullPolicyShape = shape.exactly('IfNotPresent', 'Always', 'Never');
export const actionShape = shape.exactly('run', 'load');
export const policyShape = shape.exactly('dynamic', 'static');
export const factorShape = whole(0, Number.MAX_SAFE_INTEGER);

const fields = {
  name: text,
  image: shape.object({
    ref: text,
    action: actionShape,
    config: configShape,
    vsoa: maybe(vsoaShape),
    pullPolicy: maybe(pullPolicyShape),
    autoUpgrade: maybe(shape.exactly('Never', 'Larger', 'Always')),
  }),
  node: shape.object({ names: texts }),
  factor: maybe(factorShape),
  policy: maybe(policyShape),
  prepull: maybe(shape.boolean()),
};

const newService = shape.object(fields);
const changedService = shape.object({ id: text, ...fields });
type ServiceBody = Shaped<typeof newService>;
type ServiceChange = Shaped<typeof changedService>;
export const serviceBody: Shape<ServiceBody> = newService;
export const serviceChange: Shape<ServiceChange> = changedService;

/** Applies the defaults of the platform to absent fields; an update keeps `prepull`. */
export function specOf(body: ServiceBody, prepull = false): ServiceSpec {
  return {
    name: body.name,
    image: imageOf(body.image),
    nodeNames: body.node.names,
    factor: body.factor ?? 1,
    policy: body.policy ?? 'static',
    prepull: body.prepull ?? prepull,
  };
}

function imageOf({ vsoa, ...image }: ServiceBody['image']): ImageSpec {
  return {
    ...image,
    ...(vsoa ? { vsoa } : {}),
    pullPolicy: image.pullPolicy ?? defaultPullPolicy(image.ref),
    autoUpgrade: image.autoUpgrade ?? 'Never',
  };
}

/** An object of which only some fields are validated. */
function partlyChecked(some: Shape<object>): Shape<JsonObject> {
  return { isOptional: false, check: (value) => jsonObject.check(value) ?? some.check(value) };
}
