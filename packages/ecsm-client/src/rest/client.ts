/**
 * A client of the platform's HTTP API, one request at a time: it knows the envelope, errors, time and retries, and
 * nothing of services or nodes. Those are the clientset's, which is built on this.
 */
import type { Clock } from '@ecsm/runtime';
import { type RestOptions, type RestSettings, settingsOf } from './options.ts';
import { RequestBuilder } from './request.ts';

export class RestClient {
  readonly #settings: RestSettings;

  /** Throws `BadRequest` for an option that makes no sense. The transport stays the caller's to close. */
  constructor(options: RestOptions) {
    this.#settings = settingsOf(options);
  }

  get clock(): Clock {
    return this.#settings.clock;
  }

  /** For a call that says nothing else. */
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
