/** The switches of the platform as people write them: what they are called, and what they may be set to. */
import { type Behaviour, type ProfileName, profiles } from '../platform/behaviour.ts';
import { didYouMean } from './did-you-mean.ts';
import { ControlError } from './input.ts';

type WordSwitch = { [S in keyof Behaviour]: Behaviour[S] extends string ? S : never }[keyof Behaviour];

/** Every switch that has words for its answers, the likeliest first. The others take numbers. */
const words: { readonly [S in WordSwitch]: readonly Behaviour[S][] } = {
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

export const switchNames: readonly string[] = Object.keys(profiles.likely);
export const profileNames: readonly string[] = Object.keys(profiles);

export function isProfileName(name: unknown): name is ProfileName {
  return typeof name === 'string' && Object.hasOwn(profiles, name);
}

/** Checks switches that somebody named, and what they set them to. */
export function readSwitches(change: Readonly<Record<string, unknown>>): Partial<Behaviour> {
  for (const [name, value] of Object.entries(change)) {
    const complaint = switchComplaint(name, value);
    if (complaint !== undefined) throw new ControlError(400, complaint);
  }
  return change;
}

function switchComplaint(name: string, value: unknown): string | undefined {
  if (!switchNames.includes(name)) return `there is no switch "${name}".${didYouMean(name, switchNames)}`;
  const known = wordsOf(name);
  if (known.length > 0) {
    const fits = known.some((word) => word === value);
    return fits ? undefined : `${name} has to be ${known.join(' or ')}, not ${JSON.stringify(value)}`;
  }
  // A pull at no bytes a second would never end.
  const min = name === 'pullBytesPerSecond' ? 1 : 0;
  const fits = typeof value === 'number' && value >= min && value <= Number.MAX_SAFE_INTEGER;
  return fits ? undefined : `${name} has to be a number of ${min} or more, not ${JSON.stringify(value)}`;
}

/** None for a switch that takes numbers. */
function wordsOf(name: string): readonly string[] {
  return Object.entries(words).find(([known]) => known === name)?.[1] ?? [];
}

/** `switch=value`, as on a command line. */
export function readSwitch(text: string): Partial<Behaviour> {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (rest.length === 0) throw new ControlError(400, `"${text}" is not of the form switch=value`);
  const isNumber = wordsOf(name).length === 0 && value.trim() !== '' && !Number.isNaN(Number(value));
  return readSwitches({ [name]: isNumber ? Number(value) : value });
}
