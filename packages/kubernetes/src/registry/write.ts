/** Writes to the API server, reported to observers as the contract says. */
import { ApiError, type ErrorCode, isApiError, type WriteObserver } from '@ecsm/runtime';
import type { RestClient, RestRequest, RestResponse } from '../rest/client.ts';

/** Errors that answer the caller's request; the server itself works. */
const answers: readonly ErrorCode[] = ['AlreadyExists', 'BadRequest', 'Conflict', 'Invalid', 'NotFound', 'TooLarge'];

export class Writer {
  readonly #client: RestClient;
  readonly #observers: readonly WriteObserver[];

  constructor(client: RestClient, observers: readonly WriteObserver[]) {
    this.#client = client;
    this.#observers = observers;
  }

  async send(request: RestRequest): Promise<RestResponse> {
    try {
      return await this.#client.request(request);
    } catch (error) {
      const failure = isApiError(error, 'BadAnswer') ? uncertain(error) : error;
      const isAnswer = isApiError(failure) && answers.includes(failure.code);
      if (!isAnswer) for (const observer of this.#observers) observer.failed?.(failure);
      throw failure;
    }
  }

  written(version: string, key: string): void {
    for (const observer of this.#observers) observer.written?.(version, [key]);
  }
}

/** The write may have happened, which only `Unavailable` and `Timeout` say. */
function uncertain(error: ApiError<'BadAnswer'>): ApiError {
  return new ApiError('Unavailable', { what: error.details.what, reason: error.details.reason }, error);
}
