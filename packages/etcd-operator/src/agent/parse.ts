/** Reads jobs and results, which come from another process. */
import type { AgentJob, AgentResult } from './job.ts';

export class InvalidJob extends Error {
  override readonly name = 'InvalidJob';
}

type Fields = Readonly<Record<string, unknown>>;

const texts: Readonly<Record<AgentJob['do'], readonly string[]>> = {
  backup: ['keyBase', 'compression', 'scratch'],
  fetch: ['key', 'etcdVersion', 'into'],
  commit: ['to', 'marker', 'from'],
  check: ['scratch'],
  prune: [],
};
const objects: Readonly<Record<AgentJob['do'], readonly string[]>> = {
  backup: ['destination', 'source'],
  fetch: ['destination'],
  commit: [],
  check: ['endpoint', 'expected'],
  prune: ['destination'],
};
const lists: Readonly<Record<AgentJob['do'], readonly string[]>> = {
  backup: ['endpoints'],
  fetch: [],
  commit: ['remove'],
  check: [],
  prune: ['keys'],
};

/** Throws `InvalidJob`. The operator wrote it: the fields that decide are checked, so that another release is noticed. */
export function parseJob(text: string | undefined): AgentJob {
  if (text === undefined || text === '') throw new InvalidJob('there is no job: AGENT_JOB is not set');
  const fields = parseObject(text);
  const kind = fields?.['do'];
  if (!fields || !isKind(kind)) {
    throw new InvalidJob('AGENT_JOB is not a job of this release; use the same image for the operator and its agents');
  }
  const wrong = [
    ...texts[kind].filter((name) => typeof fields[name] !== 'string' || fields[name] === ''),
    ...objects[kind].filter((name) => !isObject(fields[name])),
    ...lists[kind].filter((name) => !Array.isArray(fields[name])),
  ];
  if (wrong.length > 0) throw new InvalidJob(`the job has no valid ${wrong.join(', ')}`);
  return fields as unknown as AgentJob;
}

/** Undefined if it is not one: the pod ended before its agent wrote it. */
export function parseResult(text: string): AgentResult | undefined {
  const fields = parseObject(text);
  if (!fields) return undefined;
  if (fields['ok'] === true && isKind(fields['do'])) return fields as unknown as AgentResult;
  const isFailure =
    fields['ok'] === false && typeof fields['code'] === 'string' && typeof fields['message'] === 'string';
  return isFailure ? (fields as unknown as AgentResult) : undefined;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isKind(value: unknown): value is AgentJob['do'] {
  return typeof value === 'string' && Object.hasOwn(texts, value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
