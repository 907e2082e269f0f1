/** What makes the options of a verb invalid, in the words of Kubernetes. */
import type { FieldError } from '@ecsm/runtime';
import { forbidden, notSupported } from './query.ts';

/** In bytes, as in Kubernetes. */
const FIELD_MANAGER_LENGTH_MAX = 128;

export const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

/** The options that contradict each other in some combinations. */
interface VersionOptions {
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly sendInitialEvents: boolean | undefined;
}

const matchPath = 'resourceVersionMatch';
const matchWithContinue = forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided');

export function listErrors(options: VersionOptions, match: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== undefined) {
    if (options.resourceVersion === undefined) {
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== undefined) errors.push(matchWithContinue);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(matchPath, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

export function watchErrors(options: VersionOptions, match: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const hasInitialEvents = options.sendInitialEvents !== undefined;
  if (hasInitialEvents && match !== 'NotOlderThan') {
    errors.push(forbidden(matchPath, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== undefined) {
    if (!hasInitialEvents) {
      const message = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
      errors.push(forbidden(matchPath, message));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(matchPath, match, ['NotOlderThan']));
    if (options.continue !== undefined) errors.push(matchWithContinue);
  }
  return errors;
}

/** `All` is the only value. */
export function dryRunErrors(values: readonly unknown[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

export function fieldManagerErrors(manager: string | undefined, isRequired: boolean): FieldError[] {
  const path = 'fieldManager';
  if (manager === undefined) {
    return isRequired ? [{ path, type: 'Required value', message: 'is required for apply patch' }] : [];
  }
  const message = `may not be more than ${FIELD_MANAGER_LENGTH_MAX} bytes`;
  if (Buffer.byteLength(manager) > FIELD_MANAGER_LENGTH_MAX) return [{ path, type: 'Too long', message }];
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager);
  if (unprintable === null) return [];
  const code = (unprintable[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const position = Buffer.byteLength(manager.slice(0, unprintable.index));
  const reason = `invalid character U+${code} (at position ${position})`;
  return [{ path, type: 'Invalid value', message: `${JSON.stringify(manager)}: ${reason}` }];
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan'];

export function propagationErrors(policy: string | undefined, orphanDependents: boolean | undefined): FieldError[] {
  if (policy === undefined) return [];
  const path = 'propagationPolicy';
  const message = `${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
  return [
    ...(orphanDependents === undefined ? [] : [{ path, type: 'Invalid value', message } as const]),
    ...(propagationPolicies.includes(policy) ? [] : [notSupported(path, policy, [...propagationPolicies, 'nil'])]),
  ];
}
