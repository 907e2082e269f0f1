/**
 * A low-level client of the platform's HTTP API: envelope, errors, timeouts and retries of one request. Typed resources
 * such as services and nodes are in the clientset, which is built on it.
 */
import type { Clock } from '@ecsm/runtime';
import { type RestOptions, type RestSettings, settingsOf } from './options.ts';
import { RequestBuilder } from './request.ts';

export class RestClient {
  readonly #settings: RestSettings;

  /** Throws `BadRequest` for an invalid option. The caller closes the transport. */
  constructor(options: RestOptions) {
    this.#settings = settingsOf(options);
  }

  get clock(): Clock {
    return this.#settings.clock;
  }

  /** Default deadline of a call. */
  get deadlineMs(): number {
    return this.#settings.deadlineMs;
  }

  get(): RequestBuilder {
    return new RequestBuilder(this.#settings, 'GET');
  }

  post(): RequestBuilder {
    return new RequestBuilder(this.#settings, 'POST');
  }

  put(): RequestBuilder {
    return new RequestBuilder(this.#settings, 'PUT');
  }

  delete(): RequestBuilder {
    return new RequestBuilder(this.#settings, 'DELETE');
  }
}
