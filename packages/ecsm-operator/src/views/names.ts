/**
 * Names of objects for things on the platform, whose names may be any text. A name is a function of the text or id alone,
 * so it stays the same for as long as the thing exists.
 */
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, NAME_LENGTH_MAX } from '@ecsm/runtime';
import { hash32 } from '../observe/fingerprint.ts';

const podNameLengthMax = 63;
const digitsOfPod = 12;
const digitsOfName = 8;

/** The name itself if it is one for Kubernetes; otherwise a similar one with a hash, as two may be similar. */
export function nodeNameOf(platformName: string): string {
  if (platformName.length <= NAME_LENGTH_MAX && checkDnsSubdomain(platformName) === undefined) return platformName;
  return joined(
    stemOf(platformName, podNameLengthMax - digitsOfName - 1) || 'node',
    digest(platformName, digitsOfName),
  );
}

/** `owner` is a name of the registry or of the platform. */
export function podNameOf(owner: string, taskId: string): string {
  return joined(stemOf(owner, podNameLengthMax - digitsOfPod - 1) || 'pod', digest(taskId, digitsOfPod));
}

/** The name of the only container of a pod. */
export function containerNameOf(owner: string): string {
  if (checkDnsLabel(owner) === undefined) return owner;
  return stemOf(owner, podNameLengthMax) || 'main';
}

/** Returns undefined if the text cannot be the value of a label. */
export function labelValueOf(text: string | undefined): string | undefined {
  return text !== undefined && text !== '' && checkLabelValue(text) === undefined ? text : undefined;
}

function joined(stem: string, digits: string): string {
  return `${stem}-${digits}`;
}

function stemOf(text: string, lengthMax: number): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/gu, '-');
  return plain
    .slice(0, lengthMax + 1)
    .replace(/^-+/u, '')
    .slice(0, lengthMax)
    .replace(/-+$/u, '');
}

/** The second part is of the reversed text: texts that collide in one of the two hashes rarely do in the other. */
function digest(text: string, digits: number): string {
  const hex = (part: string) => hash32(part).toString(16).padStart(8, '0');
  return `${hex(text)}${hex([...text].reverse().join(''))}`.slice(0, digits);
}
