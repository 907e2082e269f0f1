/**
 * The state of a simulated platform as plain data: a snapshot is JSON, and a platform can be started from one. Times
 * are milliseconds since the epoch; the API formats them.
 */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from './behaviour.ts';
import type { EventName } from './events.ts';

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
  /** The type that a refresh of all node types detects. */
  trueType: OperatingSystem;
  arch: string;
  readonly ecsdVersion: string;
  readonly createdMs: number;
  online: boolean;
  /** Start of the current online or offline state. */
  onlineSinceMs: number;
  /** Start of the node; being offline does not change it. */
  bootedMs: number;
  /** Incremented when it goes offline or online; events with an older step are obsolete. */
  step: number;
  cores: number;
  memoryTotalBytes: number;
  diskTotalBytes: number;
  /** Used by programs outside of the platform. */
  memoryOtherBytes: number;
  diskOtherBytes: number;
  /** Number of containers that were not deployed by this platform. */
  otherContainers: number;
  otherContainersRunning: number;
  /** Images on the node: pulled digest by image id. */
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
  /** Digest of the content; changes if the same reference is pushed again. */
  digest: string;
  /** The configuration template of `GET /image/config`. */
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

/** Sent by the caller and returned unchanged, including unknown fields. */
export interface ImageSpec {
  readonly ref: string;
  readonly action: DeployAction;
  readonly config: JsonObject;
  readonly vsoa?: JsonObject;
  readonly pullPolicy: string;
  readonly autoUpgrade: string;
  readonly [more: string]: JsonValue | undefined;
}

/** The specification of a service: the validated body of create and update, with defaults. */
export interface ServiceSpec {
  readonly name: string;
  readonly image: ImageSpec;
  /** Node names. */
  readonly nodeNames: readonly string[];
  /** Number of instances of a dynamic service; ignored for a static one. */
  readonly factor: number;
  readonly policy: Policy;
  readonly prepull: boolean;
}

export interface Service extends ServiceSpec {
  readonly id: string;
  readonly createdMs: number;
  /** Time of the last change of the service itself. */
  updatedMs: number;
  name: string;
  image: ImageSpec;
  nodeNames: readonly string[];
  factor: number;
  policy: Policy;
  prepull: boolean;
  pathLabel: string;
  /** Simulated load. */
  load: Load;
  /** Start of the deletion; null if it is not being deleted. */
  deletingMs: number | null;
  /** Task ids that a rolling update has not redeployed yet. */
  rollQueue: string[];
  /** The task id that is being redeployed. */
  rolling: string | null;
}

/**
 * The resource usage of each running instance, in addition to that of an idle one; and demand that the running
 * instances share. Absent fields are 0.
 */
export interface Load {
  /** Percent of the node's CPU. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Shared by the running instances: 300 is 100 percent for each of three. */
  readonly cpuPercentTotal?: number;
  readonly memoryBytesTotal?: number;
  /** The shared demand moves as a sine with this period; 0: constant. */
  readonly wavePeriodMs?: number;
  /** Amplitude of the wave in percent of the shared demand. */
  readonly wavePercent?: number;
  /** The time at which the wave was set. */
  readonly waveStartMs?: number;
}

export interface Container {
  /** The id of the task that created it; its key. */
  readonly taskId: string;
  /** 64 hex digits on Linux; its name on SylixOS. */
  runtimeId: string;
  readonly name: string;
  /** Changes only if an update assigns a new id to the service. */
  serviceId: string;
  readonly nodeId: string;
  /** The image of the last successful deployment; null before. */
  imageId: string | null;
  /** `name@tag#os` of the current or last deployment. */
  imageRef: string;
  status: ContainerStatus;
  /** The requested state; only a container that should run is restarted. */
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
  /** Crashes this long after each start; null: never. */
  crashAfterMs: number | null;
  /** Time of the next scheduled crash. */
  crashAtMs: number | null;
  /** Whether its health check passes. Like `crashAfterMs`, not changed by restarts and deployments. */
  healthy: boolean;
  /** Time of the next scheduled restart by the liveness probe. */
  condemnedAtMs: number | null;
  /** Being removed: stops, and is then deleted. */
  leaving: boolean;
  /** The lost node from which it was moved. */
  movedFromNodeId: string | null;
  /** The newest scheduled step; events with an older step are obsolete. */
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
  /** The path of its folder: `/`, `/a/b`. */
  folder: string;
  service: ServiceSpec | null;
  /** Absent in states of earlier versions, like `updatedMs`. */
  readonly createdMs?: number;
  updatedMs?: number;
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
  /** Base64, by index; the first is 1. */
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

/** A scheduled event: `what` is the handler, `subject` the id of the object. */
export interface ScheduledEvent {
  readonly atMs: number;
  /** Breaks ties: events at the same time are processed in the order of scheduling. */
  readonly number: number;
  readonly what: EventName;
  readonly subject: string;
  /** The step of the subject when it was scheduled; see `Container.step`. */
  readonly step: number;
}

export interface PlannedFailure {
  /** Name of the service; null: any. */
  readonly service: string | null;
  readonly message: string;
  left: number;
}

export interface State {
  readonly version: 1;
  /** All random values depend on seed and counter, so a restored platform continues identically. */
  readonly seed: number;
  /** Counts scheduled events and random draws. */
  counter: number;
  /** The platform's time; it never decreases. */
  nowMs: number;
  behaviour: Behaviour;
  nodes: Record<string, Node>;
  registries: Record<string, RemoteRegistry>;
  images: Record<string, Image>;
  services: Record<string, Service>;
  containers: Record<string, Container>;
  /** By service, newest last; bounded. */
  records: DeploymentRecord[];
  transactions: Record<string, Transaction>;
  /** By container, newest last; bounded. */
  history: HistoryEntry[];
  templates: Record<string, Template>;
  configuration: Record<string, ConfigurationEntry>;
  loadBalance: Record<string, LoadBalance>;
  uploads: Record<string, Upload>;
  syncs: Record<string, Sync>;
  agenda: ScheduledEvent[];
  plannedFailures: PlannedFailure[];
}
