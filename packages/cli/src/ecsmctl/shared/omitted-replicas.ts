/** Files without a number of instances, which an autoscaler owns in the registry. */
import type { Call } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { fieldAt } from './fields.ts';
import { type Document, throwIfInvalid } from './manifests.ts';
import type { Session } from './session.ts';

export function hasOmitted({ omittedReplicas }: Document): boolean {
  return omittedReplicas !== undefined;
}

/** Throws the errors of the files whose objects have no number in the registry either. Call it before the first write. */
export async function checkOmitted(
  call: Call,
  { registry }: Pick<Session, 'registry'>,
  documents: readonly Document[],
): Promise<void> {
  const problems: string[] = [];
  for (const { kind, namespace, name, omittedReplicas } of documents) {
    if (omittedReplicas === undefined) continue;
    try {
      const object = await registry.resource(kind).get(name, { namespace });
      if (fieldAt(object, kind.scale?.specReplicasPath ?? '') === undefined) problems.push(omittedReplicas);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      problems.push(omittedReplicas);
    }
  }
  throwIfInvalid(call, problems);
}
