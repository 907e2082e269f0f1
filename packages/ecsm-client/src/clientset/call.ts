/** Common parts of all resource calls: options, ids in paths, and missing objects. */
import { ApiError, type Shape, shape } from '@ecsm/runtime';
import { badRequest } from '../rest/options.ts';
import type { RequestBuilder } from '../rest/request.ts';

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For one attempt. Default: that of the `RestClient`. */
  readonly timeoutMs?: number;
  /** For the call with all its attempts. Default: that of the `RestClient`. */
  readonly deadlineMs?: number;
}

export function withOptions(request: RequestBuilder, { signal, timeoutMs, deadlineMs }: CallOptions): RequestBuilder {
  let bounded = request;
  if (signal !== undefined) bounded = bounded.signal(signal);
  if (timeoutMs !== undefined) bounded = bounded.timeout(timeoutMs);
  if (deadlineMs !== undefined) bounded = bounded.deadline(deadlineMs);
  return bounded;
}

/**
 * Returns the id. Throws `BadRequest` if it equals a segment of another endpoint: `DELETE /service/path` does not
 * delete the service "path", but all services of a path.
 */
export function checkedId(id: string, kind: string, reserved: readonly string[]): string {
  if (!reserved.includes(id)) return id;
  throw badRequest(`"${id}" is not a valid ${kind} id: it is a path segment of another endpoint`);
}

/**
 * Fetches one object by its id. For an unknown id, real platforms have returned success with null or the string
 * "success" as data: both are `NotFound`.
 */
export async function fetchOne<T>(request: RequestBuilder, row: Shape<T>, kind: string, name: string): Promise<T> {
  const response = await request.kind(kind, name).do(shape.either(row, shape.nullable(shape.exactly('success'))));
  if (response === null || response === 'success') throw new ApiError('NotFound', { kind, name });
  return response;
}

/** Sends a write and ignores its data: the write is done, so unexpected data is not an error. */
export async function sendWrite(request: RequestBuilder): Promise<void> {
  await request.do(shape.anything());
}
