/** The answers to writes of services, each brought to one form out of the several that the platform is known to give. */
import { type Shaped, shape } from '@ecsm/runtime';
import type { createdService, deployResults, ids } from './service-shapes.ts';
import { textsOf } from './tolerant.ts';

export interface WrittenService {
  /** May differ from the one that was sent. */
  readonly id: string;
  /** Task ids of the containers, to follow their deployment by. */
  readonly taskIds: readonly string[];
}

/** An operation that goes on after the answer. There is no call to ask for its end: look at what it acts on. */
export interface Transaction {
  readonly id?: string;
  readonly status?: 'running' | 'failure' | 'success' | (string & {});
}

export interface DeployResult {
  readonly templateId?: string;
  readonly result: 'failed' | 'created' | 'updated' | (string & {});
  readonly serviceId?: string;
  readonly taskIds: readonly string[];
  readonly error?: string;
}

export function writtenService({ id, containers }: Shaped<typeof createdService>): WrittenService {
  return { id, taskIds: textsOf(containers) };
}

/** Also `{ transactionId }`, which is all that a deletion gives. */
export function transactionOf(answer: unknown): Transaction {
  if (!shape.isObject(answer)) return {};
  const id = answer['id'] ?? answer['transactionId'];
  const status = answer['status'];
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof status === 'string' && { status }),
  };
}

/** The services that were acted on; undefined if the platform did not tell. */
export function idsOf(answer: Shaped<typeof ids>): readonly string[] | undefined {
  if (answer === null || typeof answer === 'string') return undefined;
  return 'ids' in answer ? (answer.ids ?? []) : answer;
}

export function deployResultsOf(answer: Shaped<typeof deployResults>): readonly DeployResult[] {
  return (answer ?? []).map((one) => {
    const templateId = one.provisionTmplId ?? one.provisionTmpld;
    return {
      result: one.result,
      taskIds: textsOf((one.tasks ?? []).map((task) => task.id ?? null)),
      ...(typeof templateId === 'string' && { templateId }),
      ...(typeof one.provisionId === 'string' && { serviceId: one.provisionId }),
      ...(typeof one.error === 'string' && { error: one.error }),
    };
  });
}
