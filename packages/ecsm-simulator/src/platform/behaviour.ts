/**
 * What is not known of the real platform. Each switch is one guess of the reference, with the likeliest answer as its
 * default; an operator that is right works with every one of them. Timings are guesses too.
 */
import { Refusal } from './refusal.ts';

/** The answers of each switch, the likeliest first; of a switch that takes a number, its default. */
const switches = {
  /** What an update does to containers whose image or configuration changes: all at once, or one after the other. */
  update: ['recreate', 'roll'],
  /** What an update does to containers for which nothing changes (a new factor, a new node list, a rename). */
  updateUnchanged: ['keep', 'redeploy'],
  /** Whether a redeployed container stays the same task under the same name. */
  updateTaskId: ['keep', 'new'],
  /** Whether an updated service keeps its id. */
  updateServiceId: ['keep', 'new'],
  rename: ['accept', 'refuse'],
  factorZero: ['accept', 'refuse'],
  /** Whether several instances of one dynamic service may run on one node. */
  shareNode: ['allow', 'refuse'],
  /** `data` of a batch action: `["id"]` or `{"ids":["id"]}`. */
  batchAnswer: ['array', 'object'],
  /** mixed: services `2024-06-03 23:28:20`, containers ISO 8601, images ISO 8601 with nanoseconds. */
  times: ['mixed', 'plain', 'iso'],
  /** `status` of a service whose containers were all stopped by hand. */
  stoppedStatus: ['complete', 'stopped'],
  /** `status` of a service when some of its containers could not be deployed. */
  failedStatus: ['complete', 'deploying'],
  /** What `instanceActive` counts: instances that exist and do not run, or all that exist. */
  instanceActive: ['stopped', 'all'],
  /** HTTP status of a business error. */
  httpStatus: ['always200', 'matching'],
  /** `data` of a business error. */
  failureData: ['null', 'text'],
  failureFieldErrors: ['null', 'text', 'object'],
  /** The answer to an id that is not there: a business error, or status 200 with `data: "success"`. */
  unknownId: ['error', 'success'],
  /** A larger `pageSize` is cut to this; 0: no limit. */
  pageSizeMax: 0,
  /** Whether `pageSize=-1` (or `pageNum=-1`) gives everything. */
  pageAll: ['accept', 'refuse'],
  configurationList: ['array', 'page'],
  /** `cpuUsage` of an offline node. */
  offlineCpuUsage: ['number', 'object'],
  /** `status` of a container whose node is offline. */
  offlineContainerStatus: ['null', 'last'],
  /** A deployment that meets an offline node waits for it, or fails. */
  offlineDeployment: ['wait', 'fail'],
  /** Whether the platform restarts a container that ends by itself. On Linux, `config.restart: "no"` always means never. */
  selfRestart: ['always', 'never'],
  /** What `livenessProbe: true` does when the health check fails. */
  livenessProbe: ['restart', 'ignore'],
  /** Whether instances that were moved off a lost node move back when it returns. */
  failBack: ['never', 'always'],
  /** `errorInstance[].status`. */
  errorInstanceStatus: ['string', 'boolean'],
  recordCommand: ['array', 'string'],
  recordNodes: ['node', 'nodeList'],
  imageCountField: ['count', 'imageCount'],
  /** How a deployment of a template spells the template's id. */
  templateIdField: ['provisionTmplId', 'provisionTmpld'],
  /** Which hash of an uploaded image is believed. */
  imageHash: ['any', 'sha256', 'sha1', 'md5'],
  /** Whether `GET /transaction/:id` exists. */
  transactionEndpoint: ['absent', 'present'],

  /** A dynamic service is moved off a node that was lost for this long. */
  migrationDelayMs: 30_000,
  /** How quickly a node pulls an image. */
  pullBytesPerSecond: 10_000_000,
  /** From the end of the pull until the container runs; half as much again at most, by chance. */
  startMs: 800,
  stopMs: 200,
  /** From the call until a deleted service and its containers are gone. */
  deleteMs: 500,
  /** From the end of a container until it is restarted. */
  restartDelayMs: 2_000,
  /** How long a deployment waits before it gives up: `offlineDeployment: "fail"`, and an image that cannot be pulled. */
  deployTimeoutMs: 30_000,
} as const;

type Switches = typeof switches;

export type Behaviour = {
  readonly [Name in keyof Switches]: Switches[Name] extends readonly string[] ? Switches[Name][number] : number;
};

/** The answers of each switch that has words for them, the likeliest first. The others take numbers. */
export const behaviourChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(switches).flatMap(([name, value]) => (typeof value === 'number' ? [] : [[name, value]])),
);

const likely = answers(0);

/** `likely` is the default; `contrary` takes the other side of every guess; `instant` is `likely` with no waiting. */
export const profiles = {
  likely,
  contrary: {
    ...answers(1),
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

/** Refuses a switch that does not exist, and a value that it cannot have: with some, time would stand still. */
export function checkBehaviour(change: Partial<Behaviour>): void {
  for (const [name, value] of Object.entries(change)) {
    const problem = switchProblem(name, value);
    if (problem !== undefined) throw new Refusal('badRequest', `${name} ${problem}`, { [name]: problem });
  }
}

export function switchProblem(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(switches, name)) return 'is no switch of the platform';
  const choices = behaviourChoices[name];
  if (choices !== undefined) {
    return choices.some((word) => word === value) ? undefined : `has to be ${choices.join(' or ')}`;
  }
  // A pull at no bytes a second would never end.
  const min = name === 'pullBytesPerSecond' ? 1 : 0;
  const fits = typeof value === 'number' && value >= min && value <= Number.MAX_SAFE_INTEGER;
  return fits ? undefined : `has to be a number of ${min} or more`;
}

function answers(index: 0 | 1): Behaviour {
  const entries = Object.entries(switches).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : value[index],
  ]);
  return Object.fromEntries(entries);
}
