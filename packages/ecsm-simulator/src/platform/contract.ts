/**
 * What a simulated platform can be asked and told. The API in front of it translates requests into these calls and state
 * into answers; the control API uses the second half. Every call first lets time pass up to now, so there are no timers:
 * a platform that nobody looks at does nothing, and catches up when somebody does.
 *
 * A call that cannot be carried out throws a `Refusal` and changes nothing.
 */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from './behaviour.ts';
import type {
  ConfigurationEntry,
  Container,
  ContainerAction,
  ContainerStatus,
  DeployAction,
  DeploymentRecord,
  HistoryEntry,
  Image,
  Load,
  LoadBalance,
  Node,
  OperatingSystem,
  RemoteRegistry,
  Service,
  ServiceSpec,
  State,
  Sync,
  Template,
  Transaction,
  Upload,
} from './model.ts';

/** Whatever the caller did not say is a default of the platform. */
export interface NewNode {
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  readonly password: string;
  readonly tls?: boolean;
  readonly type?: OperatingSystem;
  readonly arch?: string;
  readonly cores?: number;
  readonly memoryTotalBytes?: number;
  readonly diskTotalBytes?: number;
}

export interface NewImage {
  readonly name: string;
  readonly tag: string;
  readonly os: OperatingSystem;
  readonly arch?: string;
  readonly sizeBytes: number;
  readonly author?: string | null;
  readonly description?: string;
  readonly config?: JsonObject;
  /** `local` unless said otherwise. */
  readonly registryId?: string;
}

export interface ContainerUsage {
  /** Percent of the node's processor. */
  readonly cpuPercent: number;
  readonly cpuCores: readonly number[];
  readonly memoryBytes: number;
  readonly memoryMaxBytes: number;
  readonly diskBytes: number;
  readonly uptimeSeconds: number;
}

export interface NodeUsage {
  readonly cpuPercent: number;
  readonly cpuCores: readonly number[];
  readonly memoryFreeBytes: number;
  readonly diskFreeBytes: number;
  readonly processCount: number;
  readonly containers: {
    readonly total: number;
    readonly running: number;
    readonly ecsmTotal: number;
    readonly ecsmRunning: number;
  };
  readonly uptimeSeconds: number;
  readonly network: readonly { readonly name: string; readonly upBytes: number; readonly downBytes: number }[];
}

export interface DeployOutcome {
  readonly templateId: string;
  readonly result: 'failed' | 'created' | 'updated';
  readonly serviceId: string | null;
  readonly taskIds: readonly string[];
  readonly error: string | null;
}

export interface Platform {
  readonly behaviour: Behaviour;
  /** The platform's own time, now. */
  now(): number;
  /** Lets everything happen that is due. */
  advance(): void;
  /** When the next thing will happen, if anything is planned. */
  nextAtMs(): number | undefined;
  /** The whole state as JSON. */
  snapshot(): State;

  // --- What it has. Lists are in order of creation; nothing that is returned may be changed by the caller. ---
  nodes(): readonly Node[];
  node(id: string): Node | undefined;
  nodeNamed(name: string): Node | undefined;
  services(): readonly Service[];
  service(id: string): Service | undefined;
  serviceNamed(name: string): Service | undefined;
  container(taskId: string): Container | undefined;
  /** Names of containers are unique. */
  containerNamed(name: string): Container | undefined;
  containersOfService(serviceId: string): readonly Container[];
  containersOfNode(nodeId: string): readonly Container[];
  registries(): readonly RemoteRegistry[];
  images(registryId: string): readonly Image[];
  image(registryId: string, id: string): Image | undefined;
  /** `name@tag#os` in the local registry; without `#os`, the first that fits. */
  imageByRef(ref: string): Image | undefined;
  recordsOf(serviceId: string): readonly DeploymentRecord[];
  record(id: string): DeploymentRecord | undefined;
  historyOf(taskId: string): readonly HistoryEntry[];
  transaction(id: string): Transaction | undefined;
  templates(): readonly Template[];
  template(id: string): Template | undefined;
  configuration(): readonly ConfigurationEntry[];
  loadBalanceOf(serviceId: string): LoadBalance;
  sync(id: string): Sync | undefined;
  upload(id: string): Upload | undefined;
  /** The one that brings, or brought, the file of this hash. */
  uploadOfHash(imageHash: string): Upload | undefined;

  // --- What follows from it. ---
  /** What an observer is told: null where the node is offline (see `offlineContainerStatus`). */
  statusOf(container: Container): ContainerStatus | null;
  usageOf(container: Container): ContainerUsage;
  usageOfNode(node: Node): NodeUsage;
  /** `deploying`, `complete` or, by a switch, `stopped`. */
  statusOfService(service: Service): string;
  isHealthy(service: Service): boolean;
  isContainerHealthy(container: Container): boolean;

  // --- What a user of the platform does. ---
  createService(
    spec: ServiceSpec,
    options?: { readonly pathLabel?: string },
  ): { readonly id: string; readonly taskIds: readonly string[] };
  updateService(id: string, spec: ServiceSpec): { readonly id: string; readonly taskIds: readonly string[] };
  deleteService(id: string): Transaction;
  /** What `POST /service/:action/ids` does to one service; `destroy` deletes it. */
  controlService(id: string, action: ContainerAction | 'destroy'): Transaction;
  redeployService(id: string): void;
  rollbackService(id: string, recordId: string): Transaction;
  deleteRecord(recordId: string): void;
  controlContainer(name: string, action: ContainerAction): Transaction;

  addNode(node: NewNode): Node;
  updateNode(
    id: string,
    change: {
      readonly name: string;
      readonly ip: string;
      readonly port: number;
      readonly password: string;
      readonly tls: boolean;
    },
  ): void;
  /** Deletes all of them, or none and says which services hold them. */
  deleteNodes(ids: readonly string[]): readonly { readonly node: Node; readonly services: readonly Service[] }[];
  refreshNodeTypes(): void;

  /** An image arrives in a registry: uploaded, pushed or synchronised. Services with auto-upgrade follow. */
  pushImage(image: NewImage): Image;
  deleteImage(registryId: string, id: string): void;
  addRegistry(registry: Omit<RemoteRegistry, 'id' | 'online'>): RemoteRegistry;
  syncImage(registryId: string, imageId: string): Sync;
  /** One chunk of an upload; the image is there when the last one is. `bytes` is what came, base64. */
  uploadChunk(chunk: {
    readonly imageHash: string;
    readonly totalSizeBytes: number;
    readonly chunkCount: number;
    readonly index: number;
    readonly bytes: string;
    readonly description: string;
  }): Upload;

  addTemplate(template: Omit<Template, 'id'>): Template;
  updateTemplate(id: string, change: { readonly name?: string; readonly service?: ServiceSpec }): Template;
  moveTemplate(source: string, destination: string): Template;
  deleteTemplate(id: string): void;
  deployTemplate(id: string, action: DeployAction, force: boolean): DeployOutcome;

  putConfiguration(entry: {
    readonly id?: string;
    readonly key: string;
    readonly type: string;
    readonly value: JsonValue;
  }): ConfigurationEntry;
  deleteConfiguration(id: string): void;
  setLoadBalance(serviceId: string, balance: LoadBalance): void;

  // --- What fate, or a careless human at the machine, does. ---
  /** A container ends by itself. */
  killContainer(taskId: string): void;
  /** It ends this long after every start, from now on; null: it stays up again. */
  setCrashLoop(taskId: string, crashAfterMs: number | null): void;
  setContainerHealth(taskId: string, healthy: boolean): void;
  /** The next deployments fail: of one service (by name), or of any. */
  failDeployments(failure: { readonly service?: string; readonly message?: string; readonly count: number }): void;
  cutNode(id: string): void;
  restoreNode(id: string): void;
  fillNode(id: string, fill: { readonly memoryBytes?: number; readonly diskBytes?: number }): void;
  setNodeTrueType(id: string, type: OperatingSystem): void;
  setLoad(serviceId: string, load: Partial<Load>): void;
  setBehaviour(change: Partial<Behaviour>): void;
}
