/** The answers of worker pods: parsed here, because they come from outside. */
import { isPlainObject } from '@ecsm/runtime';
import type { WorkerFacts } from '../../resource/worker-facts.ts';

export interface AgentFailure {
  /** One CamelCase word. */
  readonly code: string;
  readonly message: string;
  readonly isRetriable: boolean;
}

export interface AgentSuccess {
  readonly ok: true;
  /** What was answered. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type WorkerResult = AgentSuccess | ({ readonly ok: false } & AgentFailure);

/**
 * Undefined while the pod works. A failed init container is the answer of the pod; otherwise the container that is named
 * is, also while others still run.
 */
export function resultOf(pod: WorkerFacts, container: string): WorkerResult | undefined {
  const failed = pod.containers.find((one) => one.isInit && one.exitCode !== undefined && one.exitCode !== 0);
  const ended = failed ?? pod.containers.find(({ name, exitCode }) => name === container && exitCode !== undefined);
  if (ended) {
    const parsed = parse(ended.message);
    if (parsed && (!parsed.ok || ended.exitCode === 0)) return parsed;
    const why = [ended.reason, ended.message].filter(Boolean).join(': ') || `exit code ${ended.exitCode}`;
    return failure('WorkerFailed', `container ${ended.name} of pod ${pod.name} failed: ${why}`);
  }
  if (pod.phase !== 'Failed' && pod.phase !== 'Succeeded') return undefined;
  return failure('WorkerFailed', `pod ${pod.name} ended without an answer${pod.reason ? `: ${pod.reason}` : ''}`);
}

function failure(code: string, message: string): WorkerResult {
  return { ok: false, code, message, isRetriable: true };
}

function parse(text: string | undefined): WorkerResult | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value)) return undefined;
  if (value['ok'] === true) return { ok: true, fields: value };
  if (value['ok'] !== false) return undefined;
  const { code, message, isRetriable } = value;
  return {
    ok: false,
    code: typeof code === 'string' && /^[A-Z][A-Za-z0-9]*$/u.test(code) ? code : 'WorkerFailed',
    message: typeof message === 'string' ? message : 'no message',
    isRetriable: isRetriable !== false,
  };
}

/** Fields of an answer that are there with the expected type. */
export function textOf({ fields }: AgentSuccess, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberOf({ fields }: AgentSuccess, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function textsOf({ fields }: AgentSuccess, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
