/** The request bodies to create and update a service, with the image configuration. */

export type ServicePolicy = 'static' | 'dynamic';
export type DeployAction = 'run' | 'load';
export type PullPolicy = 'IfNotPresent' | 'Always' | 'Never';
export type AutoUpgrade = 'Never' | 'Larger' | 'Always';

/** Documented fields are typed; other fields, for other platform versions, are sent unchanged. */
interface Extensible {
  readonly [more: string]: unknown;
}

export interface ServiceBody extends Extensible {
  /** Unique on the platform. */
  readonly name: string;
  readonly image: ServiceImageBody;
  /** Node names, not ids. */
  readonly node: { readonly names: readonly string[] };
  /** Number of instances; only used for `dynamic`. */
  readonly factor?: number;
  /** Default of the platform: `static`, one instance on each node. */
  readonly policy?: ServicePolicy;
  /** Only at creation: pull the image to all nodes, so that a later migration is faster. */
  readonly prepull?: boolean;
}

export interface ServiceImageBody extends Extensible {
  /** `name@tag#os` */
  readonly ref: string;
  /** `run` creates and starts, `load` only creates. */
  readonly action: DeployAction;
  readonly config: EcsImageConfig | DockerImageConfig;
  readonly vsoa?: ImageVsoa;
  /** Default of the platform: `Always` for the tag `latest`, else `IfNotPresent`. */
  readonly pullPolicy?: PullPolicy;
  readonly autoUpgrade?: AutoUpgrade;
}

export interface ImageVsoa extends Extensible {
  readonly password?: string;
  /** Port of the host. Absent or 0: allocated by the platform. */
  readonly port?: number;
  readonly healthPath?: string;
  /** In milliseconds, like the other times. */
  readonly healthTimeout?: number;
  readonly healthRetries?: number;
  readonly healthStartPeriod?: number;
  readonly healthInterval?: number;
  /** Undocumented; seen in payloads. */
  readonly livenessProbe?: boolean;
}

/** Configuration of a SylixOS image. */
export interface EcsImageConfig extends Extensible {
  readonly platform?: { readonly os?: string; readonly arch?: string };
  readonly process?: { readonly args?: readonly string[]; readonly env?: readonly string[]; readonly cwd?: string };
  readonly root?: { readonly path?: string; readonly readonly?: boolean };
  readonly hostname?: string;
  readonly mounts?: readonly EcsMount[];
  readonly sylixos?: SylixosConfig;
}

export interface EcsMount extends Extensible {
  readonly destination: string;
  readonly source: string;
  /** `ro`, `rx`, `rw` … */
  readonly options?: readonly string[];
}

export interface SylixosConfig extends Extensible {
  /** An image's own configuration may have null here. */
  readonly devices?: readonly { readonly path: string; readonly access?: string }[] | null;
  readonly resources?: SylixosResources;
  readonly network?: { readonly ftpdEnable?: boolean; readonly telnetdEnable?: boolean; readonly sshdEnable?: boolean };
  /** Shell commands that are allowed inside the container. */
  readonly commands?: readonly string[];
}

export interface SylixosResources extends Extensible {
  readonly affinity?: readonly number[];
  /** A smaller number is a higher priority. */
  readonly cpu?: { readonly highestPrio?: number; readonly lowestPrio?: number; readonly defaultPrio?: number };
  readonly itimer?: { readonly defaultPrio?: number };
  /** `kheapLimit` is in bytes. */
  readonly memory?: { readonly kheapLimit?: number; readonly memoryLimitMB?: number };
  readonly disk?: { readonly limitMB?: number };
  readonly kernelObject?: Readonly<Partial<Record<KernelObjectLimit, number>>>;
}

export type KernelObjectLimit =
  | 'threadLimit'
  | 'threadPoolLimit'
  | 'eventLimit'
  | 'eventSetLimit'
  | 'partitionLimit'
  | 'regionLimit'
  | 'msgQueueLimit'
  | 'timerLimit'
  | 'rmsLimit'
  | 'threadVarLimit'
  | 'posixMqueueLimit'
  | 'dlopenLibraryLimit'
  | 'xsiipcLimit'
  | 'socketLimit'
  | 'srtpLimit'
  | 'deviceLimit';

/** Configuration of a Linux image; only partly documented. */
export interface DockerImageConfig extends Extensible {
  readonly hostname?: string;
  readonly env?: readonly string[];
  readonly cmd?: readonly string[];
  readonly name?: string;
  /** Docker's restart policy. */
  readonly restart?: string;
  readonly network?: string;
  /** 0 is unlimited. */
  readonly memory?: number;
  readonly healthCmd?: readonly string[];
  readonly publish?: readonly {
    readonly netType?: string;
    readonly hostPort?: number;
    readonly containerPort?: number;
  }[];
}
