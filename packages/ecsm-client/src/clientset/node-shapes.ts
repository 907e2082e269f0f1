/** Nodes as the platform shows them. It shows their passwords too: whoever prints a row leaves that field out. */
import { type Shaped, shape } from '@ecsm/runtime';
import { cpuUsage, maybe, maybeFlag, maybeNumber, maybeText } from './tolerant.ts';

const status = shape.word('online', 'offline');

/** In every view of a node. Compare `type` and `arch` without regard to case. */
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
  /** Of these, the ones that the platform itself deployed. */
  containerEcsmTotal: maybeNumber,
  containerEcsmRunning: maybeNumber,
};

/** Without what only a look at the node could tell. */
export const nodeBasicRow = shape.object({ ...common, address: maybeText, status: maybe(status) });
export type NodeBasicRow = Shaped<typeof nodeBasicRow>;

export const nodeRow = shape.object({ ...common, ...counts, address: maybeText, status, upTime: maybeNumber });
export type NodeRow = Shaped<typeof nodeRow>;

export const nodeDetail = shape.object({ ...common, address: maybeText, ecsdVersion: maybeText });

/** By name the platform gives the row of its database, where the address is in two parts. */
export const nodeRecord = shape.object({ ...common, address: maybeText, ip: maybeText, port: maybeNumber });

export const nodeStatusRow = shape.object({
  id: shape.string(),
  status,
  ...counts,
  /** Bytes, as is `memoryFree`. */
  memoryTotal: maybeNumber,
  memoryFree: maybeNumber,
  /** Of an unknown unit, the same as `diskFree`: only their ratio means something. */
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
