/** Applies one object as the manager of ecsmctl, and reports fields that other managers own. */
import { Failure } from '@ecsm/command-line';
import {
  type Applied,
  type ApplyOptions,
  type ConflictCause,
  isApiError,
  type Kind,
  type ObjectInput,
  type Registry,
} from '@ecsm/runtime';
import { shortNameOf } from '../shared/kinds.ts';
import { applyManager } from '../shared/managers.ts';

/** Other managers own fields of the file and set them to other values. */
export class FieldConflict extends Failure {}

/** Throws `FieldConflict` unless `force` is set. */
export async function applyOne(
  registry: Registry,
  kind: Kind,
  wanted: ObjectInput<unknown, unknown>,
  options: Pick<ApplyOptions, 'dryRun' | 'force'>,
): Promise<Applied<unknown, unknown>> {
  try {
    return await registry.resource(kind).apply(wanted, { ...options, manager: applyManager });
  } catch (error) {
    if (!isApiError(error, 'Conflict') || error.details.causes === undefined) throw error;
    const name = shortNameOf(kind, wanted.metadata.name);
    const remedy = 'omit these fields in the file, or take them over with --force-conflicts';
    throw new FieldConflict(`${name} has fields of other managers: ${ownedText(error.details.causes)}; ${remedy}`);
  }
}

/** `.spec.paused, .spec.replicas (ecsmctl-edit); .spec.image (ci)` */
function ownedText(causes: readonly ConflictCause[]): string {
  const managers = [...new Set(causes.map(({ manager }) => manager))].sort();
  return managers
    .map((manager) => {
      const fields = causes.filter((cause) => cause.manager === manager).map(({ field }) => field);
      return `${fields.join(', ')} (${manager})`;
    })
    .join('; ');
}
