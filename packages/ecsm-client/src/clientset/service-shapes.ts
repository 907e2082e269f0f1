/** Shapes of services in responses. Fields that controllers depend on are required, the others optional. */
import { type Shaped, shape } from '@ecsm/runtime';
import { maybe, maybeFlag, maybeNumber, maybeText, maybeTexts } from './tolerant.ts';

const policy = shape.word('static', 'dynamic');

export const nodeOfService = shape.object({ nodeId: maybeText, nodeName: maybeText, address: maybeText });

/** Fields of every view of a service. */
const common = {
  id: shape.string(),
  name: shape.string(),
  /** Of the deployment, not of the containers: a stopped service may be `complete`. */
  status: shape.word('deploying', 'complete'),
  /** Changes with every update of the service. */
  updatedTime: shape.string(),
  policy,
  createdTime: maybeText,
  factor: maybeNumber,
  /** The distinct states of its containers. */
  containerStatusGroup: maybeTexts,
  instanceOnline: maybeNumber,
  instanceActive: maybeNumber,
  nodeList: maybe(shape.list(nodeOfService)),
};

export const serviceRow = shape.object({
  ...common,
  imageList: maybe(shape.list(shape.object({ name: maybeText, tag: maybeText, os: maybeText }))),
  errorInstance: maybe(
    shape.list(
      shape.object({
        containerId: maybeText,
        nodeId: maybeText,
        nodeName: maybeText,
        /** Documented as a string; the value is a boolean. */
        status: maybe(shape.either(shape.string(), shape.boolean(), shape.number())),
        message: maybeText,
      }),
    ),
  ),
  defaultLabels: maybe(shape.list(shape.anything())),
  pathLabel: maybeText,
});
export type ServiceRow = Shaped<typeof serviceRow>;

const vsoa = shape.object({
  password: maybeText,
  port: maybeNumber,
  healthPath: maybeText,
  healthTimeout: maybeNumber,
  healthRetries: maybeNumber,
  healthStartPeriod: maybeNumber,
  healthInterval: maybeNumber,
  livenessProbe: maybeFlag,
});

export const serviceDetail = shape.object({
  ...common,
  healthy: maybeFlag,
  image: maybe(
    shape.object({
      ref: maybeText,
      action: maybe(shape.word('run', 'load')),
      config: maybe(shape.record(shape.anything())),
      vsoa: maybe(vsoa),
      pullPolicy: maybe(shape.word('IfNotPresent', 'Always', 'Never')),
      autoUpgrade: maybe(shape.word('Never', 'Larger', 'Always')),
    }),
  ),
  node: maybe(shape.object({ names: maybeTexts })),
});
export type ServiceDetail = Shaped<typeof serviceDetail>;

/** The response to a creation. `containers` are task ids; the containers are created later. */
export const createdService = shape.object({ id: shape.string(), containers: maybeTexts });

export const ids = shape.either(
  shape.list(shape.string()),
  shape.object({ ids: shape.nullable(shape.list(shape.string())) }),
  shape.nullable(shape.string()),
);

const deployResult = shape.object({
  provisionTmplId: maybeText,
  /** The spelling in the vendor's table. */
  provisionTmpld: maybeText,
  result: shape.word('failed', 'created', 'updated'),
  provisionId: maybeText,
  tasks: maybe(shape.list(shape.object({ id: maybeText }))),
  error: maybeText,
});

/** Templates that were deployed by path may be returned as their services. */
export const deployResults = shape.nullable(shape.list(shape.either(deployResult, createdService)));

export const deletions = shape.nullable(
  shape.list(
    shape.object({
      provisionId: maybeText,
      result: shape.word('ok'),
      transactionId: maybeText,
      error: maybeText,
    }),
  ),
);
export type ServiceDeletion = NonNullable<Shaped<typeof deletions>>[number];

export const serviceSummary = shape.object({ total: shape.number(), health: maybeNumber });
