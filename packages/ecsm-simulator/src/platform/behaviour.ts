/**
 * What is not known of the real platform. Each switch is one guess of the reference, with the likeliest answer as its
 * default; an operator that is right works with every one of them. Timings are guesses too.
 */

export interface Behaviour {
  /** What an update does to containers whose image or configuration changes: all at once, or one after the other. */
  readonly update: 'recreate' | 'roll';
  /** What an update does to containers for which nothing changes (a new factor, a new node list, a rename). */
  readonly updateUnchanged: 'keep' | 'redeploy';
  /** Whether a redeployed container stays the same task under the same name. */
  readonly updateTaskId: 'keep' | 'new';
  /** Whether an updated service keeps its id. */
  readonly updateServiceId: 'keep' | 'new';
  readonly rename: 'accept' | 'refuse';
  readonly factorZero: 'accept' | 'refuse';
  /** Whether several instances of one dynamic service may run on one node. */
  readonly shareNode: 'allow' | 'refuse';
  /** `data` of a batch action: `["id"]` or `{"ids":["id"]}`. */
  readonly batchAnswer: 'array' | 'object';
  /** mixed: services `2024-06-03 23:28:20`, containers ISO 8601, images ISO 8601 with nanoseconds. */
  readonly times: 'mixed' | 'plain' | 'iso';
  /** `status` of a service whose containers were all stopped by hand. */
  readonly stoppedStatus: 'complete' | 'stopped';
  /** `status` of a service when some of its containers could not be deployed. */
  readonly failedStatus: 'complete' | 'deploying';
  /** What `instanceActive` counts: instances that exist and do not run, or all that exist. */
  readonly instanceActive: 'stopped' | 'all';
  /** HTTP status of a business error. */
  readonly httpStatus: 'always200' | 'matching';
  /** `data` of a business error. */
  readonly failureData: 'null' | 'text';
  readonly failureFieldErrors: 'null' | 'text' | 'object';
  /** The answer to an id that is not there: a business error, or status 200 with `data: "success"`. */
  readonly unknownId: 'error' | 'success';
  /** A larger `pageSize` is cut to this; 0: no limit. */
  readonly pageSizeMax: number;
  /** Whether `pageSize=-1` (or `pageNum=-1`) gives everything. */
  readonly pageAll: 'accept' | 'refuse';
  readonly configurationList: 'array' | 'page';
  /** `cpuUsage` of an offline node. */
  readonly offlineCpuUsage: 'number' | 'object';
  /** `status` of a container whose node is offline. */
  readonly offlineContainerStatus: 'null' | 'last';
  /** A deployment that meets an offline node waits for it, or fails. */
  readonly offlineDeployment: 'wait' | 'fail';
  /** Whether the platform restarts a container that ends by itself. On Linux, `config.restart: "no"` always means never. */
  readonly selfRestart: 'always' | 'never';
  /** What `livenessProbe: true` does when the health check fails. */
  readonly livenessProbe: 'restart' | 'ignore';
  /** Whether instances that were moved off a lost node move back when it returns. */
  readonly failBack: 'never' | 'always';
  /** `errorInstance[].status`. */
  readonly errorInstanceStatus: 'string' | 'boolean';
  readonly recordCommand: 'array' | 'string';
  readonly recordNodes: 'node' | 'nodeList';
  readonly imageCountField: 'count' | 'imageCount';
  /** How a deployment of a template spells the template's id. */
  readonly templateIdField: 'provisionTmplId' | 'provisionTmpld';
  /** Which hash of an uploaded image is believed. */
  readonly imageHash: 'any' | 'sha256' | 'sha1' | 'md5';
  /** Whether `GET /transaction/:id` exists. */
  readonly transactionEndpoint: 'absent' | 'present';

  /** A dynamic service is moved off a node that was lost for this long. */
  readonly migrationDelayMs: number;
  /** How quickly a node pulls an image. */
  readonly pullBytesPerSecond: number;
  /** From the end of the pull until the container runs; half as much again at most, by chance. */
  readonly startMs: number;
  readonly stopMs: number;
  /** From the call until a deleted service and its containers are gone. */
  readonly deleteMs: number;
  /** From the end of a container until it is restarted. */
  readonly restartDelayMs: number;
  /** How long a deployment waits before it gives up: `offlineDeployment: "fail"`, and an image that cannot be pulled. */
  readonly deployTimeoutMs: number;
}

const likely: Behaviour = {
  update: 'recreate',
  updateUnchanged: 'keep',
  updateTaskId: 'keep',
  updateServiceId: 'keep',
  rename: 'accept',
  factorZero: 'accept',
  shareNode: 'allow',
  batchAnswer: 'array',
  times: 'mixed',
  stoppedStatus: 'complete',
  failedStatus: 'complete',
  instanceActive: 'stopped',
  httpStatus: 'always200',
  failureData: 'null',
  failureFieldErrors: 'null',
  unknownId: 'error',
  pageSizeMax: 0,
  pageAll: 'accept',
  configurationList: 'array',
  offlineCpuUsage: 'number',
  offlineContainerStatus: 'null',
  offlineDeployment: 'wait',
  selfRestart: 'always',
  livenessProbe: 'restart',
  failBack: 'never',
  errorInstanceStatus: 'string',
  recordCommand: 'array',
  recordNodes: 'node',
  imageCountField: 'count',
  templateIdField: 'provisionTmplId',
  imageHash: 'any',
  transactionEndpoint: 'absent',
  migrationDelayMs: 30_000,
  pullBytesPerSecond: 10_000_000,
  startMs: 800,
  stopMs: 200,
  deleteMs: 500,
  restartDelayMs: 2_000,
  deployTimeoutMs: 30_000,
};

/** `likely` is the default; `contrary` takes the other side of every guess; `instant` is `likely` with no waiting. */
export const profiles = {
  likely,
  contrary: {
    ...likely,
    update: 'roll',
    updateUnchanged: 'redeploy',
    updateTaskId: 'new',
    updateServiceId: 'new',
    rename: 'refuse',
    factorZero: 'refuse',
    shareNode: 'refuse',
    batchAnswer: 'object',
    times: 'iso',
    stoppedStatus: 'stopped',
    failedStatus: 'deploying',
    instanceActive: 'all',
    httpStatus: 'matching',
    failureData: 'text',
    failureFieldErrors: 'object',
    unknownId: 'success',
    pageSizeMax: 100,
    pageAll: 'refuse',
    configurationList: 'page',
    offlineCpuUsage: 'object',
    offlineContainerStatus: 'last',
    offlineDeployment: 'fail',
    selfRestart: 'never',
    livenessProbe: 'ignore',
    failBack: 'always',
    errorInstanceStatus: 'boolean',
    recordCommand: 'string',
    recordNodes: 'nodeList',
    imageCountField: 'imageCount',
    templateIdField: 'provisionTmpld',
    imageHash: 'sha256',
    transactionEndpoint: 'present',
    migrationDelayMs: 120_000,
  },
  instant: {
    ...likely,
    migrationDelayMs: 0,
    startMs: 0,
    stopMs: 0,
    deleteMs: 0,
    restartDelayMs: 0,
    pullBytesPerSecond: 1e15,
  },
} as const satisfies Record<string, Behaviour>;

export type ProfileName = keyof typeof profiles;
