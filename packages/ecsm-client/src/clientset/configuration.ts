/** `/configmap`: values that programs on the platform read by a key such as `/a/b/test`. */
import { type Shaped, shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, sendWrite, withOptions } from './call.ts';
import type { ClientLimits } from './limits.ts';
import { type ListOptions, type OpenPage, type PageSource, pageOf, rowsOf } from './pages.ts';
import { maybe } from './tolerant.ts';

const row = shape.object({
  key: shape.string(),
  id: maybe(shape.either(shape.string(), shape.number())),
  type: maybe(shape.word('string', 'number', 'json')),
  value: shape.optional(shape.anything()),
});
export type ConfigurationRow = Shaped<typeof row>;

/** A page, or a bare list without a total. */
const rows = shape.either(
  shape.object({ list: shape.nullable(shape.list(row)), total: shape.integer() }),
  shape.nullable(shape.list(row)),
);

export interface ConfigurationBody {
  readonly key: string;
  readonly type: 'string' | 'number' | 'json' | (string & {});
  readonly value: unknown;
}

const kind = 'configuration';

export class Configuration {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(filter: { readonly key?: string } = {}, options: ListOptions = {}): AsyncIterable<ConfigurationRow> {
    return rowsOf(this.#source(filter.key), this.#limits, options);
  }

  page(
    pageNum: number,
    pageSize: number,
    filter: { readonly key?: string } = {},
    options: CallOptions = {},
  ): Promise<OpenPage<ConfigurationRow>> {
    return pageOf(this.#source(filter.key), this.#limits, pageNum, pageSize, options);
  }

  /** The value as returned by the platform; only the list contains its type. */
  value(key: string, options: CallOptions = {}): Promise<unknown> {
    const request = this.#rest.get().resource('configmap', 'key').param('key', key).kind(kind, key);
    return withOptions(request, options).do(shape.anything());
  }

  create({ key, type, value }: ConfigurationBody, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.post().resource('configmap').body({ key, type, value }).kind(kind, key);
    return sendWrite(withOptions(request, options));
  }

  update(body: ConfigurationBody & { readonly id: string | number }, options: CallOptions = {}): Promise<void> {
    const { id, key, type, value } = body;
    const request = this.#rest.put().resource('configmap').body({ id, key, type, value }).kind(kind, key);
    return sendWrite(withOptions(request, options));
  }

  delete(id: string | number, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.delete().resource('configmap').name(String(id)).kind(kind, String(id));
    return sendWrite(withOptions(request, options));
  }

  #source(key: string | undefined): PageSource<ConfigurationRow, OpenPage<ConfigurationRow>> {
    return {
      endpoint: 'GET /configmap',
      keyOf: (one) => one.key,
      fetch: async (pageNum, pageSize, options) => {
        const request = this.#rest.get().resource('configmap').param('pageNum', pageNum).param('pageSize', pageSize);
        const response = await withOptions(request.param('key', key), options).do(rows);
        if (response === null) return { list: [] };
        return 'list' in response ? { list: response.list ?? [], total: response.total } : { list: response };
      },
    };
  }
}
