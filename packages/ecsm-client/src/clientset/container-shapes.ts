/** Shapes of containers in responses. */
import { type Shaped, shape } from '@ecsm/runtime';
import { cpuUsage, maybe, maybeNumber, maybeText } from './tolerant.ts';

export const containerRow = shape.object({
  /** The id of the task that created it; its id in paths. */
  taskId: shape.string(),
  name: shape.string(),
  serviceId: shape.string(),
  nodeName: shape.string(),
  deployStatus: shape.word('deploying', 'success', 'failure'),
  /** Null if unknown, for example because the node is offline. */
  status: shape.nullable(shape.word('created', 'running', 'exited', 'paused')),
  /** The runtime's id: 64 hex digits for Docker, the name on SylixOS. Absent before the container is created. */
  id: maybeText,
  failedMessage: maybeText,
  uptime: maybeNumber,
  startedTime: maybeText,
  createdTime: maybeText,
  taskCreatedTime: maybeText,
  /** Number of automatic restarts. */
  restartCnt: maybeNumber,
  deployNum: maybeNumber,
  cpuUsage: maybe(cpuUsage),
  /** In bytes, like the next two. */
  memoryLimit: maybeNumber,
  memoryUsage: maybeNumber,
  memoryMaxUsage: maybeNumber,
  sizeUsage: maybeNumber,
  sizeLimit: maybeNumber,
  serviceName: maybeText,
  nodeId: maybeText,
  nodeArch: maybeText,
  /** `ip:port` of the node. */
  address: maybeText,
  imageId: maybeText,
  imageName: maybeText,
  imageVersion: maybeText,
  imageOS: maybeText,
  imageArch: maybeText,
});
export type ContainerRow = Shaped<typeof containerRow>;

export const containerActionRow = shape.object({
  /** The task id of the container, the same in every row. */
  id: maybeText,
  cmd: maybeText,
  user: maybeText,
  time: maybe(shape.either(shape.string(), shape.number())),
});
export type ContainerActionRow = Shaped<typeof containerActionRow>;
