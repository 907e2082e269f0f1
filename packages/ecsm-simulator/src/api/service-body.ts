/**
 * The body of create and update. What the platform itself would trip over is checked; the rest of an image's
 * configuration is the caller's, kept whole and given back as it came.
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

/** What SylixOS images and Linux images are configured with; both at once, as no field means two things. */
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

export const configShape: Shape<JsonObject> = both(knownConfig);

export const vsoaShape: Shape<JsonObject> = both(
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
export type ServiceBody = Shaped<typeof newService>;
export type ServiceChange = Shaped<typeof changedService>;
export const serviceBody: Shape<ServiceBody> = newService;
export const serviceChange: Shape<ServiceChange> = changedService;

/** What the caller left out is a default of the platform; an update leaves `prepull` as it was. */
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

/** An object of which only some fields are looked at. */
function both(some: Shape<object>): Shape<JsonObject> {
  return { isOptional: false, check: (value) => jsonObject.check(value) ?? some.check(value) };
}
