/** Validates a state that was read from a file or sent by a caller. */
import { type Shape, shape } from '@ecsm/runtime';
import { profiles } from '../platform/behaviour.ts';
import type { Container, Image, Node, Service, State } from '../platform/model.ts';
import { readSwitches } from './behaviour.ts';

type StateCheck = { readonly state: State } | { readonly problem: string };

/** Requires every field, so that a new field of the model is not forgotten here. */
type FieldsOf<T> = { readonly [F in keyof T]-?: Shape<unknown> };

const text = shape.string();
const number = shape.number();
const flag = shape.boolean();
const anyObject = shape.record(shape.anything());
const os = shape.exactly('linux', 'sylixos');
const textOrNull = shape.nullable(text);
const numberOrNull = shape.nullable(number);

const imageSpec = shape.object({
  ref: text,
  action: shape.exactly('run', 'load'),
  config: anyObject,
  vsoa: shape.optional(anyObject),
  pullPolicy: text,
  autoUpgrade: text,
});

const serviceSpec = {
  name: text,
  image: imageSpec,
  nodeNames: shape.list(text),
  factor: number,
  policy: shape.exactly('dynamic', 'static'),
  prepull: flag,
};

const node: FieldsOf<Node> = {
  id: text,
  name: text,
  ip: text,
  port: number,
  password: text,
  tls: flag,
  type: os,
  trueType: os,
  arch: text,
  ecsdVersion: text,
  createdMs: number,
  online: flag,
  onlineSinceMs: number,
  bootedMs: number,
  step: number,
  cores: number,
  memoryTotalBytes: number,
  diskTotalBytes: number,
  memoryOtherBytes: number,
  diskOtherBytes: number,
  otherContainers: number,
  otherContainersRunning: number,
  images: shape.record(text),
};

const image: FieldsOf<Image> = {
  id: text,
  registryId: text,
  name: text,
  tag: text,
  os,
  arch: text,
  sizeBytes: number,
  author: textOrNull,
  createdMs: number,
  pulled: flag,
  description: text,
  ociVersion: text,
  digest: text,
  config: anyObject,
};

const service: FieldsOf<Service> = {
  ...serviceSpec,
  id: text,
  createdMs: number,
  updatedMs: number,
  pathLabel: text,
  load: shape.object({
    cpuPercent: number,
    memoryBytes: number,
    diskBytes: number,
    cpuPercentTotal: shape.optional(number),
    memoryBytesTotal: shape.optional(number),
    wavePeriodMs: shape.optional(number),
    wavePercent: shape.optional(number),
    waveStartMs: shape.optional(number),
  }),
  deletingMs: numberOrNull,
  rollQueue: shape.list(text),
  rolling: textOrNull,
};

const container: FieldsOf<Container> = {
  taskId: text,
  runtimeId: text,
  name: text,
  serviceId: text,
  nodeId: text,
  imageId: textOrNull,
  imageRef: text,
  status: shape.exactly('created', 'running', 'exited', 'paused'),
  wanted: shape.exactly('running', 'stopped', 'paused', 'loaded'),
  deployStatus: shape.exactly('deploying', 'success', 'failure'),
  failedMessage: textOrNull,
  taskCreatedMs: number,
  createdMs: number,
  startedMs: numberOrNull,
  restartCnt: number,
  deployNum: number,
  memoryLimitBytes: number,
  diskLimitBytes: number,
  memoryMaxUsageBytes: number,
  vsoaPort: numberOrNull,
  crashAfterMs: numberOrNull,
  crashAtMs: numberOrNull,
  healthy: flag,
  condemnedAtMs: numberOrNull,
  leaving: flag,
  movedFromNodeId: textOrNull,
  step: number,
};

const recordOf = (fields: Readonly<Record<string, Shape<unknown>>>) => shape.record(shape.object(fields));

const state: FieldsOf<Omit<State, 'version'>> = {
  seed: number,
  counter: number,
  nowMs: number,
  behaviour: anyObject,
  nodes: recordOf(node),
  registries: recordOf({ id: text, name: text, address: text, online: flag, standard: shape.exactly('oci', 'ecsm') }),
  images: recordOf(image),
  services: recordOf(service),
  containers: recordOf(container),
  records: shape.list(shape.object({ id: text, serviceId: text, createdMs: number, spec: shape.object(serviceSpec) })),
  transactions: recordOf({ id: text, status: text, data: shape.anything(), timestampMs: number }),
  history: shape.list(shape.object({ taskId: text, command: text, user: text, timeMs: number })),
  templates: recordOf({
    id: text,
    kind: shape.exactly('folder', 'service'),
    name: text,
    folder: text,
    service: shape.nullable(shape.object(serviceSpec)),
    createdMs: shape.optional(number),
    updatedMs: shape.optional(number),
  }),
  configuration: recordOf({ id: text, key: text, type: text, value: shape.anything(), createdMs: number }),
  loadBalance: recordOf({
    mode: shape.exactly('roundRobin', 'masterSlave'),
    detail: shape.list(shape.object({ id: text, master: flag })),
  }),
  uploads: recordOf({
    id: text,
    imageHash: text,
    totalSizeBytes: number,
    chunkCount: number,
    chunks: shape.record(text),
    imageId: textOrNull,
  }),
  syncs: recordOf({ id: text, imageId: text, startedMs: number, endsMs: number, status: text }),
  agenda: shape.list(shape.object({ atMs: number, number, what: text, subject: text, step: number })),
  plannedFailures: shape.list(shape.object({ service: textOrNull, message: text, left: number })),
};

const whole = shape.object(state);

export function checkState(value: unknown): StateCheck {
  if (!shape.isObject(value)) return { problem: 'the state should be an object' };
  if (value['version'] !== 1) return { problem: 'it is not the state of a simulator, or has another version' };
  if (!isState(value)) return { problem: shape.complaint(whole, value, 'state') ?? 'it is not a valid state' };
  const orphan = orphanContainer(value);
  if (orphan !== undefined) return { problem: orphan };
  try {
    return { state: { ...value, behaviour: { ...profiles.likely, ...readSwitches({ ...value.behaviour }) } } };
  } catch (error) {
    return { problem: `state.behaviour: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function isState(value: unknown): value is State {
  return whole.check(value) === undefined;
}

function orphanContainer({ containers, services, nodes }: State): string | undefined {
  for (const [taskId, { serviceId, nodeId }] of Object.entries(containers)) {
    if (!Object.hasOwn(services, serviceId)) return `the service of container ${taskId} does not exist`;
    if (!Object.hasOwn(nodes, nodeId)) return `the node of container ${taskId} does not exist`;
  }
  return undefined;
}
