/** Normalized results of service writes; the platform is known to return several forms of each. */
import { type Shaped, shape } from '@ecsm/runtime';
import type { createdService, deployResults, ids } from './service-shapes.ts';
import { textsOf } from './tolerant.ts';

export interface WrittenService {
  /** May differ from the id in the request. */
  readonly id: string;
  /** Task ids of the containers, to observe their deployment. */
  readonly taskIds: readonly string[];
}

/** An operation that continues after the response. No call returns its state: observe the objects that it changes. */
export interface Transaction {
  readonly id?: string;
  readonly status?: 'running' | 'failure' | 'success' | (string & {});
}

export interface DeployResult {
  readonly templateId?: string;
  /** `deployed` if the platform returns only the service. */
  readonly result: 'failed' | 'created' | 'updated' | 'deployed' | (string & {});
  readonly serviceId?: string;
  readonly taskIds: readonly string[];
  readonly error?: string;
}

export function writtenService({ id, containers }: Shaped<typeof createdService>): WrittenService {
  return { id, taskIds: textsOf(containers) };
}

/** Also accepts `{ transactionId }`, the result of a deletion. */
export function transactionOf(response: unknown): Transaction {
  if (!shape.isObject(response)) return {};
  const id = response['id'] ?? response['transactionId'];
  const status = response['status'];
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof status === 'string' && { status }),
  };
}

/** The affected services; undefined if the response does not contain them. */
export function idsOf(response: Shaped<typeof ids>): readonly string[] | undefined {
  if (response === null || typeof response === 'string') return undefined;
  return 'ids' in response ? (response.ids ?? []) : response;
}

export function deployResultsOf(response: Shaped<typeof deployResults>): readonly DeployResult[] {
  return (response ?? []).map((one) => {
    if (!('result' in one)) {
      const { id, taskIds } = writtenService(one);
      return { result: 'deployed', serviceId: id, taskIds };
    }
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
