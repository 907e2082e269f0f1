/** One call of the platform's API while it is being answered: what came, read with care, and the platform to ask. */
import type { Shape } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { Platform } from '../platform/contract.ts';
import type { Request } from './exchange.ts';
import { badRequest, readBytes, readJson } from './input.ts';
import type { Query } from './query.ts';

export class Call {
  readonly platform: Platform;
  readonly query: Query;
  readonly #request: Request;
  readonly #parameters: ReadonlyMap<string, string>;
  readonly #bodyBytesMax: number;

  constructor(options: {
    readonly platform: Platform;
    readonly request: Request;
    readonly query: Query;
    readonly parameters: ReadonlyMap<string, string>;
    readonly bodyBytesMax: number;
  }) {
    this.platform = options.platform;
    this.query = options.query;
    this.#request = options.request;
    this.#parameters = options.parameters;
    this.#bodyBytesMax = options.bodyBytesMax;
  }

  get behaviour(): Behaviour {
    return this.platform.behaviour;
  }

  /** `:id` of the route's path, decoded. */
  parameter(name: string): string {
    const value = this.#parameters.get(name);
    if (value === undefined) throw new TypeError(`the route has no parameter :${name}`);
    return value;
  }

  /** A parameter that has to be one of these words. */
  word<const Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.parameter(name);
    const word = words.find((one) => one === value);
    if (word === undefined) throw badRequest(name, `should be one of ${words.join(', ')}`);
    return word;
  }

  /** The name in any case. Undefined if the caller did not send it, or sent it empty. */
  header(name: string): string | undefined {
    const key = name.toLowerCase();
    return (Object.hasOwn(this.#request.headers, key) && this.#request.headers[key]?.trim()) || undefined;
  }

  /** The JSON body, which has to be of this shape; what the shape does not name is kept. */
  body<T>(shape: Shape<T>): T {
    return readJson(this.#request, shape, this.#bodyBytesMax);
  }

  /** The body as it came. */
  bytes(): Uint8Array {
    return readBytes(this.#request, this.#bodyBytesMax);
  }
}
