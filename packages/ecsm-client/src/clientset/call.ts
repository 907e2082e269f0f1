/** What every call of a resource has in common: how long it may take, ids that go into a path, and what is not there. */
import { ApiError, type Shape, shape } from '@ecsm/runtime';
import type { RequestBuilder } from '../rest/request.ts';

export interface CallOptions {
  /** Gives the call up; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For one attempt. Default: that of the `RestClient`. */
  readonly timeoutMs?: number;
  /** For the call with all its attempts. Default: that of the `RestClient`. */
  readonly deadlineMs?: number;
}

export function within(request: RequestBuilder, { signal, timeoutMs, deadlineMs }: CallOptions): RequestBuilder {
  let bounded = request;
  if (signal !== undefined) bounded = bounded.signal(signal);
  if (timeoutMs !== undefined) bounded = bounded.timeout(timeoutMs);
  if (deadlineMs !== undefined) bounded = bounded.deadline(deadlineMs);
  return bounded;
}

/**
 * An id that stands in a path beside words of the platform's own. `DELETE /service/path` is another call than the
 * deletion of the service "path", and a far more dangerous one.
 */
export function idBeside(id: string, kind: string, words: readonly string[]): string {
  if (!words.includes(id)) return id;
  throw new ApiError('BadRequest', { reason: `"${id}" cannot be the id of a ${kind}: it names another call` });
}

/**
 * One thing by its id. A live platform has answered an unknown id with success and, in place of the thing, nothing or
 * the bare word "success": both are `NotFound`, never an empty thing.
 */
export async function find<T>(request: RequestBuilder, row: Shape<T>, kind: string, name: string): Promise<T> {
  const answer = await request.kind(kind, name).do(shape.either(row, shape.nullable(shape.exactly('success'))));
  if (answer === null || answer === 'success') throw new ApiError('NotFound', { kind, name });
  return answer;
}

/** The answer to a write whose content nobody needs. The write has happened, so no content of it is a reason to fail. */
export async function done(request: RequestBuilder): Promise<void> {
  await request.do(shape.anything());
}
