/** Query parameters, with the conversions of Kubernetes: only the first of several values counts. */
import { ApiError, type FieldError } from '@ecsm/runtime';

/** The text of a parameter; undefined if it is absent or empty. */
export function text(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}

/** A boolean parameter. Present without a value, or with any value but `false` and `0`, it is true. */
export function flag(query: URLSearchParams, name: string): boolean {
  return optionalFlag(query, name) ?? false;
}

/** Like `flag`, but undefined if the parameter is absent. */
export function optionalFlag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

/** Throws BadRequest for a value that is not an integer. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const number = Number(value);
  if (!/^[+-]?\d+$/u.test(value) || !Number.isSafeInteger(number)) {
    throw new ApiError('BadRequest', { reason: `${name}: parsing ${JSON.stringify(value)}: invalid syntax` });
  }
  return number;
}

/** Whether the response is to be indented. */
export function isPretty(query: URLSearchParams): boolean {
  return ['1', 't', 'true'].includes((query.get('pretty') ?? '').toLowerCase());
}

/** Throws Invalid about an options object such as `ListOptions`, if there are errors. */
export function rejectInvalid(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new ApiError('Invalid', { kind: `${kind}.meta.k8s.io`, name: '', errors });
}

export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((item) => JSON.stringify(item)).join(', ');
  return { path, type: 'Unsupported value', message: `${JSON.stringify(value)}: supported values: ${values}` };
}

export function forbidden(path: string, message: string): FieldError {
  return { path, type: 'Forbidden', message };
}
