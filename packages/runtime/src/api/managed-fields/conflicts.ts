/** Conflicts of an apply with the owners of the fields that it would change, in the words of Kubernetes. */
import { ApiError, type ConflictCause } from '../errors.ts';
import type { Owner } from './entries.ts';
import { type FieldSet, intersection, pathsOf } from './field-set.ts';
import { formatElements } from './path-element.ts';

/** One cause for each owner and field. */
export function conflictsOf(owners: readonly Owner[], changed: FieldSet): ConflictCause[] {
  return owners.flatMap((owner) =>
    [...pathsOf(intersection(owner.fields, changed))].map((path) => ({
      field: formatElements(path),
      manager: owner.manager,
      message: `conflict with ${describe(owner)}`,
    })),
  );
}

export function conflictError(kind: string, name: string, causes: readonly ConflictCause[]): ApiError<'Conflict'> {
  return new ApiError('Conflict', { kind, name, reason: reasonOf(causes), causes });
}

function reasonOf(causes: readonly ConflictCause[]): string {
  const [first] = causes;
  if (first && causes.length === 1) return `Apply failed with 1 conflict: ${first.message}: ${first.field}`;
  const lines: string[] = [];
  for (const message of new Set(causes.map((cause) => cause.message))) {
    lines.push(`${message.replace('conflict', 'conflicts')}:`);
    for (const cause of causes) if (cause.message === message) lines.push(`- ${cause.field}`);
  }
  return `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
}

function describe({ manager, operation, subresource, apiVersion }: Owner): string {
  const name = JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource "${subresource}"`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
