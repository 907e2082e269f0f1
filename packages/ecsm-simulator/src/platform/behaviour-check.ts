/** Which answers each switch has, for whoever sets one from outside the type system: a flag, a request, a state file. */
import { type Behaviour, profiles } from './behaviour.ts';
import { Refusal } from './refusal.ts';

type WordSwitch = { [Name in keyof Behaviour]: Behaviour[Name] extends string ? Name : never }[keyof Behaviour];

const words: { readonly [Name in WordSwitch]: readonly Behaviour[Name][] } = {
  update: ['recreate', 'roll'],
  updateUnchanged: ['keep', 'redeploy'],
  updateTaskId: ['keep', 'new'],
  updateServiceId: ['keep', 'new'],
  rename: ['accept', 'refuse'],
  factorZero: ['accept', 'refuse'],
  shareNode: ['allow', 'refuse'],
  batchAnswer: ['array', 'object'],
  times: ['mixed', 'plain', 'iso'],
  stoppedStatus: ['complete', 'stopped'],
  failedStatus: ['complete', 'deploying'],
  instanceActive: ['stopped', 'all'],
  httpStatus: ['always200', 'matching'],
  failureData: ['null', 'text'],
  failureFieldErrors: ['null', 'text', 'object'],
  unknownId: ['error', 'success'],
  pageAll: ['accept', 'refuse'],
  configurationList: ['array', 'page'],
  offlineCpuUsage: ['number', 'object'],
  offlineContainerStatus: ['null', 'last'],
  offlineDeployment: ['wait', 'fail'],
  selfRestart: ['always', 'never'],
  livenessProbe: ['restart', 'ignore'],
  failBack: ['never', 'always'],
  errorInstanceStatus: ['string', 'boolean'],
  recordCommand: ['array', 'string'],
  recordNodes: ['node', 'nodeList'],
  imageCountField: ['count', 'imageCount'],
  templateIdField: ['provisionTmplId', 'provisionTmpld'],
  imageHash: ['any', 'sha256', 'sha1', 'md5'],
  transactionEndpoint: ['absent', 'present'],
};

/** The answers of each switch that has words for them. The others are numbers. */
export const behaviourChoices: Readonly<Record<string, readonly string[]>> = words;

/** Refuses a switch that there is not, and a value with which it makes no sense: with some, time would stand still. */
export function checkBehaviour(change: Partial<Behaviour>): void {
  for (const [name, value] of Object.entries(change)) {
    const problem = problemOf(name, value);
    if (problem !== undefined) throw new Refusal('badRequest', `${name} ${problem}`, { [name]: problem });
  }
}

function problemOf(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(profiles.likely, name)) return 'is no switch of the platform';
  const choices = Object.hasOwn(behaviourChoices, name) ? behaviourChoices[name] : undefined;
  if (choices !== undefined) {
    return choices.some((word) => word === value) ? undefined : `has to be ${choices.join(' or ')}`;
  }
  const min = name === 'pullBytesPerSecond' ? 1 : 0;
  const fits = typeof value === 'number' && value >= min && value <= Number.MAX_SAFE_INTEGER;
  return fits ? undefined : `has to be a number, ${min} or more`;
}
