/**
 * The whole state of a simulated platform, as plain data: a snapshot of it is JSON, and a platform can be started from
 * one. Times are milliseconds since the epoch; how they look on the wire is the API's business.
 */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from './behaviour.ts';
import type { Happening } from './events.ts';

export type OperatingSystem = 'linux' | 'sylixos';
export type Policy = 'dynamic' | 'static';
export type DeployAction = 'run' | 'load';
export type ContainerStatus = 'created' | 'running' | 'exited' | 'paused';
export type ContainerAction = 'start' | 'stop' | 'restart' | 'pause' | 'unpause';

export interface Node {
  readonly id: string;
  name: string;
  ip: string;
  port: number;
  password: string;
  tls: boolean;
  type: OperatingSystem;
  /** What a refresh of all node types will find. */
  trueType: OperatingSystem;
  arch: string;
  readonly ecsdVersion: string;
  readonly createdMs: number;
  online: boolean;
  /** Since when it is online, or offline. */
  onlineSinceMs: number;
  /** A cut link is no restart: the node's own uptime goes on. */
  bootedMs: number;
  /** Moves with each cut and each return; what was planned before is void. */
  step: number;
  cores: number;
  memoryTotalBytes: number;
  diskTotalBytes: number;
  /** Taken by what is not ours; a fault injector raises it. */
  memoryOtherBytes: number;
  diskOtherBytes: number;
  /** Containers that were not deployed by this platform. */
  otherContainers: number;
  otherContainersRunning: number;
  /** Images (by id) that lie on the node, with the digest that was pulled. */
  images: Record<string, string>;
}

export interface Image {
  readonly id: string;
  /** `local`, or a remote registry's id. */
  readonly registryId: string;
  name: string;
  tag: string;
  os: OperatingSystem;
  arch: string;
  sizeBytes: number;
  author: string | null;
  createdMs: number;
  /** Of a remote image: whether it was synchronised to the local registry. */
  pulled: boolean;
  description: string;
  ociVersion: string;
  /** Content; a pushed image of the same reference has another one. */
  digest: string;
  /** The template of a configuration, as `GET /image/config` gives it. */
  config: JsonObject;
}

export interface RemoteRegistry {
  readonly id: string;
  name: string;
  address: string;
  online: boolean;
  /** OCI-standard registries are not counted in `GET /image/count`. */
  standard: 'oci' | 'ecsm';
}

/** What a caller sent, and gets back as it was: unknown fields too. */
export interface ImageSpec {
  readonly ref: string;
  readonly action: DeployAction;
  readonly config: JsonObject;
  readonly vsoa?: JsonObject;
  readonly pullPolicy: string;
  readonly autoUpgrade: string;
  readonly [more: string]: JsonValue | undefined;
}

/** What the caller decides about a service: the body of create and update, checked, with defaults. */
export interface ServiceSpec {
  readonly name: string;
  readonly image: ImageSpec;
  /** Names of nodes. */
  readonly nodeNames: readonly string[];
  /** Instances of a dynamic service; kept, and of no effect, for a static one. */
  readonly factor: number;
  readonly policy: Policy;
  readonly prepull: boolean;
}

export interface Service extends ServiceSpec {
  readonly id: string;
  readonly createdMs: number;
  /** Moves with every change that a person or the platform makes to the service itself. */
  updatedMs: number;
  name: string;
  image: ImageSpec;
  nodeNames: readonly string[];
  factor: number;
  policy: Policy;
  prepull: boolean;
  pathLabel: string;
  /** What the load injector set, for each instance. */
  load: Load;
  /** Being deleted: gone when its containers are. */
  deletingMs: number | null;
  /** Containers (by task) of a rolling update that still wait for their turn. */
  rollQueue: string[];
  /** The one whose turn it is. */
  rolling: string | null;
}

/** What the work that a service does costs each of its running instances. */
export interface Load {
  /** Percent of the node's processor. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export interface Container {
  /** The id of the task that made it; the key everywhere. */
  readonly taskId: string;
  /** 64 hex digits on Linux; on SylixOS, its name. */
  runtimeId: string;
  readonly name: string;
  /** Changes only where an update gives the service a new id. */
  serviceId: string;
  readonly nodeId: string;
  /** Of the image that was deployed last; null until the first deployment found it. */
  imageId: string | null;
  /** `name@tag#os` of what is being, or was, deployed. */
  imageRef: string;
  status: ContainerStatus;
  /** What its owner last asked for; the platform restarts only what should run. */
  wanted: 'running' | 'stopped' | 'paused' | 'loaded';
  deployStatus: 'deploying' | 'success' | 'failure';
  failedMessage: string | null;
  readonly taskCreatedMs: number;
  createdMs: number;
  startedMs: number | null;
  restartCnt: number;
  deployNum: number;
  memoryLimitBytes: number;
  diskLimitBytes: number;
  memoryMaxUsageBytes: number;
  vsoaPort: number | null;
  /** Ends by itself this long after each start; null: never. */
  crashAfterMs: number | null;
  /** When it will end by itself, as things are. */
  crashAtMs: number | null;
  /** Whether its health check answers. Like `crashAfterMs` it stays as it was set, through restarts and deployments. */
  healthy: boolean;
  /** When the platform will lose patience with a health check that does not answer. */
  condemnedAtMs: number | null;
  /** No longer wanted: stops, and is gone. */
  leaving: boolean;
  /** The node that it was moved off when that was lost. */
  movedFromNodeId: string | null;
  /** The newest of its scheduled steps; an older one that comes due is void. */
  step: number;
}

export interface DeploymentRecord {
  readonly id: string;
  readonly serviceId: string;
  readonly createdMs: number;
  readonly spec: ServiceSpec;
}

export interface Transaction {
  readonly id: string;
  status: 'running' | 'failure' | 'success';
  data: JsonValue;
  timestampMs: number;
}

export interface HistoryEntry {
  readonly taskId: string;
  readonly command: string;
  readonly user: string;
  readonly timeMs: number;
}

export interface Template {
  readonly id: string;
  /** A folder has no service. */
  readonly kind: 'folder' | 'service';
  name: string;
  /** Of the folder that it lies in: `/`, `/a/b`. */
  folder: string;
  service: ServiceSpec | null;
}

export interface ConfigurationEntry {
  readonly id: string;
  key: string;
  type: string;
  value: JsonValue;
  readonly createdMs: number;
}

export interface LoadBalance {
  readonly mode: 'roundRobin' | 'masterSlave';
  readonly detail: readonly { readonly id: string; readonly master: boolean }[];
}

export interface Upload {
  readonly id: string;
  readonly imageHash: string;
  readonly totalSizeBytes: number;
  readonly chunkCount: number;
  /** Base64, by index from 1. */
  chunks: Record<string, string>;
  imageId: string | null;
}

export interface Sync {
  readonly id: string;
  readonly imageId: string;
  readonly startedMs: number;
  readonly endsMs: number;
  status: 'starting' | 'running' | 'success' | 'fail';
}

/** Something that will happen. `what` and `subject` say what to do with whom when `atMs` has come. */
export interface Appointment {
  readonly atMs: number;
  /** Breaks ties: what was planned first happens first. */
  readonly number: number;
  readonly what: Happening;
  readonly subject: string;
  /** The step of the subject that planned it; see `Container.step`. */
  readonly step: number;
}

export interface PlannedFailure {
  /** Only of this service; null: of any. */
  readonly service: string | null;
  readonly message: string;
  left: number;
}

export interface State {
  readonly version: 1;
  /** All chance of this platform follows from the seed and the counter, so a restored one goes on as if it had not stopped. */
  readonly seed: number;
  /** Counts appointments and draws. */
  counter: number;
  /** The platform's time; it never goes back. */
  nowMs: number;
  behaviour: Behaviour;
  nodes: Record<string, Node>;
  registries: Record<string, RemoteRegistry>;
  images: Record<string, Image>;
  services: Record<string, Service>;
  containers: Record<string, Container>;
  /** Of each service, newest last; bounded. */
  records: DeploymentRecord[];
  transactions: Record<string, Transaction>;
  /** Of each container, newest last; bounded. */
  history: HistoryEntry[];
  templates: Record<string, Template>;
  configuration: Record<string, ConfigurationEntry>;
  loadBalance: Record<string, LoadBalance>;
  uploads: Record<string, Upload>;
  syncs: Record<string, Sync>;
  agenda: Appointment[];
  plannedFailures: PlannedFailure[];
}
