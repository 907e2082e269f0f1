/**
 * Behaviour that is not documented. Each switch is one assumption, with the likeliest value as its default; a correct
 * operator works with all values. Timings are assumptions too.
 */
import { Refusal } from './refusal.ts';

/** The values of each switch, the likeliest first; for a number, its default. */
const switches = {
  /** Whether an update redeploys changed containers at the same time, or one after the other. */
  update: ['recreate', 'roll'],
  /** What an update does to unchanged containers (a new factor, a new node list, a rename). */
  updateUnchanged: ['keep', 'redeploy'],
  /** Whether a redeployed container keeps its task id and name. */
  updateTaskId: ['keep', 'new'],
  /** Whether an updated service keeps its id. */
  updateServiceId: ['keep', 'new'],
  rename: ['accept', 'refuse'],
  factorZero: ['accept', 'refuse'],
  /** Whether several instances of one dynamic service may run on one node. */
  shareNode: ['allow', 'refuse'],
  /** What happens if a node has no room for a container. `refuse` also rejects the call that would create it. */
  outOfMemory: ['failDeployment', 'refuse', 'overcommit'],
  /** What a new container leaves untouched on a node: what is in use, or the limits of the other containers. */
  capacityAccounting: ['usage', 'limit'],
  /** Whether an instance of a dynamic service may be placed on a node without room while another has room. */
  fullNode: ['skip', 'use'],
  /** Whether an update changes the factor of a static service, which has no effect. */
  staticFactor: ['keep', 'store'],
  /** `data` of a batch action: `["id"]` or `{"ids":["id"]}`. */
  batchAnswer: ['array', 'object'],
  /** mixed: services `2024-06-03 23:28:20`, containers ISO 8601, images ISO 8601 with nanoseconds. */
  times: ['mixed', 'plain', 'iso'],
  /** `status` of a service whose containers were all stopped manually. */
  stoppedStatus: ['complete', 'stopped'],
  /** `status` of a service when some of its containers could not be deployed. */
  failedStatus: ['complete', 'deploying'],
  /** What `instanceActive` counts: instances that run, that do not run, or all. */
  instanceActive: ['running', 'stopped', 'all'],
  /** HTTP status of a business error. */
  httpStatus: ['always200', 'matching'],
  /** `data` of a business error. */
  failureData: ['null', 'text'],
  failureFieldErrors: ['null', 'text', 'object'],
  /** The response to an unknown id: a business error, or status 200 with `data: "success"`. */
  unknownId: ['error', 'success'],
  /** A larger `pageSize` is reduced to this; 0 is unlimited. */
  pageSizeMax: 0,
  /** Whether `pageSize=-1` (or `pageNum=-1`) returns everything. */
  pageAll: ['accept', 'refuse'],
  configurationList: ['array', 'page'],
  /** The unit of `diskTotal` and `diskFree` of a node. */
  diskUnit: ['megabytes', 'bytes'],
  /** `cpuUsage` of an offline node. */
  offlineCpuUsage: ['number', 'object'],
  /** `status` of a container whose node is offline. */
  offlineContainerStatus: ['null', 'last'],
  /** Whether a deployment to an offline node waits, or fails. */
  offlineDeployment: ['wait', 'fail'],
  /** Whether the platform restarts a container that exits. On Linux, `config.restart: "no"` always means never. */
  selfRestart: ['always', 'never'],
  /** The effect of `livenessProbe: true` when the health check fails. */
  livenessProbe: ['restart', 'ignore'],
  /** Whether instances that were moved from a lost node are moved back when it returns. */
  failBack: ['never', 'always'],
  /** `errorInstance[].status`. */
  errorInstanceStatus: ['string', 'boolean'],
  recordCommand: ['array', 'string'],
  recordNodes: ['node', 'nodeList'],
  imageCountField: ['count', 'imageCount'],
  /** Spelling of the template id in the deployment of a template. */
  templateIdField: ['provisionTmplId', 'provisionTmpld'],
  /** The result of a search for templates: the first one, or a list. */
  templateSearch: ['object', 'list'],
  /** The results of `templates-path-label`: `{id, containers}`, or as of `templates-ids`. */
  templateDeployment: ['containers', 'results'],
  /** The required hash of an uploaded image. */
  imageHash: ['any', 'sha256', 'sha1', 'md5'],
  /** Whether `GET /transaction/:id` exists. */
  transactionEndpoint: ['absent', 'present'],
  /** Whether a large response is compressed if the caller accepts it. */
  compression: ['none', 'gzip'],
  /** Whether the response to a GET has an ETag, and `If-None-Match` with the same one gets HTTP 304 without a body. */
  entityTag: ['none', 'weak'],
  /** Whether a connection is kept open after a response. */
  connection: ['keep', 'close'],

  /** Delay from the loss of a node until its dynamic services are moved. */
  migrationDelayMs: 30_000,
  /** Bandwidth of an image pull. */
  pullBytesPerSecond: 10_000_000,
  /** From the end of the pull until the container runs; plus up to 50 % at random. */
  startMs: 800,
  stopMs: 200,
  /** From the call until a service and its containers are deleted. */
  deleteMs: 500,
  /** From the exit of a container until its restart. */
  restartDelayMs: 2_000,
  /** Time until a deployment fails: with `offlineDeployment: "fail"`, or if the image cannot be pulled. */
  deployTimeoutMs: 30_000,
} as const;

type Switches = typeof switches;

export type Behaviour = {
  readonly [Name in keyof Switches]: Switches[Name] extends readonly string[] ? Switches[Name][number] : number;
};

/** The values of each switch that is not a number, the likeliest first. */
export const behaviourChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(switches).flatMap(([name, value]) => (typeof value === 'number' ? [] : [[name, value]])),
);

const likely = valuesAt(0);

/** `likely` is the default; `contrary` is the opposite of every assumption; `instant` is `likely` without delays. */
export const profiles = {
  likely,
  contrary: {
    ...valuesAt(1),
    times: 'iso',
    failureFieldErrors: 'object',
    pageSizeMax: 100,
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
} satisfies Record<string, Behaviour>;

export type ProfileName = keyof typeof profiles;

/** Throws a `Refusal` for an unknown switch or an invalid value. */
export function checkBehaviour(change: Partial<Behaviour>): void {
  for (const [name, value] of Object.entries(change)) {
    const problem = switchProblem(name, value);
    if (problem !== undefined) throw new Refusal('badRequest', `${name} ${problem}`, { [name]: problem });
  }
}

export function switchProblem(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(switches, name)) return 'is not a switch of the platform';
  const choices = behaviourChoices[name];
  if (choices !== undefined) {
    return choices.some((word) => word === value) ? undefined : `has to be ${choices.join(' or ')}`;
  }
  // A pull with a bandwidth of 0 would never complete.
  const min = name === 'pullBytesPerSecond' ? 1 : 0;
  const fits = typeof value === 'number' && value >= min && value <= Number.MAX_SAFE_INTEGER;
  return fits ? undefined : `has to be a number of ${min} or more`;
}

function valuesAt(index: 0 | 1): Behaviour {
  const entries = Object.entries(switches).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : value[index],
  ]);
  return Object.fromEntries(entries);
}
