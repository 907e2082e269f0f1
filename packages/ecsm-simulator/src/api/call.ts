/** One call of the platform's API: the platform, and validated access to parameters, headers and body. */
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

  /** A parameter with a fixed set of values. */
  word<const Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.parameter(name);
    const word = words.find((one) => one === value);
    if (word === undefined) throw badRequest(name, `should be one of ${words.join(', ')}`);
    return word;
  }

  /** Case-insensitive. Returns undefined if the header is absent or empty. */
  header(name: string): string | undefined {
    const key = name.toLowerCase();
    return (Object.hasOwn(this.#request.headers, key) && this.#request.headers[key]?.trim()) || undefined;
  }

  /** The JSON body, validated against the shape; other fields are kept. */
  body<T>(shape: Shape<T>): T {
    return readJson(this.#request, shape, this.#bodyBytesMax);
  }

  /** The body as received. */
  bytes(): Uint8Array {
    return readBytes(this.#request, this.#bodyBytesMax);
  }
}
