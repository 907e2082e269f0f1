/** Shapes of nodes in responses. They contain passwords: remove that field before printing a row. */
import { type Shaped, shape } from '@ecsm/runtime';
import { cpuUsage, maybe, maybeFlag, maybeNumber, maybeText } from './tolerant.ts';

const status = shape.word('online', 'offline');

/** Fields of every view of a node. Compare `type` and `arch` case-insensitively. */
const common = {
  id: shape.string(),
  name: shape.string(),
  password: maybeText,
  tls: maybeFlag,
  type: maybeText,
  arch: maybeText,
  createdTime: maybeText,
};

const counts = {
  containerTotal: maybeNumber,
  containerRunning: maybeNumber,
  /** Those that the platform deployed. */
  containerEcsmTotal: maybeNumber,
  containerEcsmRunning: maybeNumber,
};

/** Without fields that the platform would have to query from the node. */
export const nodeBasicRow = shape.object({ ...common, address: maybeText, status: maybe(status) });
export type NodeBasicRow = Shaped<typeof nodeBasicRow>;

export const nodeRow = shape.object({ ...common, ...counts, address: maybeText, status, upTime: maybeNumber });
export type NodeRow = Shaped<typeof nodeRow>;

export const nodeDetail = shape.object({ ...common, address: maybeText, ecsdVersion: maybeText });

/** The response to a request by name is a database row, with the address in two fields. */
export const nodeRecord = shape.object({ ...common, address: maybeText, ip: maybeText, port: maybeNumber });

export const nodeStatusRow = shape.object({
  id: shape.string(),
  status,
  ...counts,
  /** In bytes, like `memoryFree`. */
  memoryTotal: maybeNumber,
  memoryFree: maybeNumber,
  /** In MB or bytes, like `diskFree`: which is not documented. */
  diskTotal: maybeNumber,
  diskFree: maybeNumber,
  cpuUsage: maybe(cpuUsage),
  uptime: maybeNumber,
  processCount: maybeNumber,
  net: maybe(shape.list(shape.object({ networkName: maybeText, upNet: maybeNumber, downNet: maybeNumber }))),
  time: maybe(
    shape.object({
      current: maybe(shape.either(shape.number(), shape.string())),
      uptime: maybeNumber,
      timezone: maybe(shape.either(shape.number(), shape.string())),
      timezoneName: maybeText,
      date: maybeText,
    }),
  ),
});
export type NodeStatusRow = Shaped<typeof nodeStatusRow>;

export const nodeConflict = shape.object({
  id: maybeText,
  name: maybeText,
  serves: maybe(shape.list(shape.object({ id: maybeText, name: maybeText }))),
});
export type NodeConflict = Shaped<typeof nodeConflict>;

export const nodeTypeChange = shape.object({
  id: shape.string(),
  ip: maybeText,
  port: maybeNumber,
  name: maybeText,
  type: maybeText,
  newType: maybeText,
});
export type NodeTypeChange = Shaped<typeof nodeTypeChange>;
