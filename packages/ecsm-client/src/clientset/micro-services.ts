/** `/micro-service`: the VSOA view of services, with load balancing and allocated ports. */
import { type Shaped, shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { badRequest } from '../rest/options.ts';
import { type CallOptions, checkedId, fetchOne, sendWrite, withOptions } from './call.ts';
import type { ClientLimits } from './limits.ts';
import { fetchPage, findByName, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import { flag, maybe, maybeFlag, maybeNumber, maybeText } from './tolerant.ts';

const common = {
  id: shape.string(),
  name: shape.string(),
  imageName: maybeText,
  healthInstance: maybeNumber,
  instance: maybeNumber,
  loadBalance: maybe(shape.word('roundRobin', 'masterSlave')),
};

const row = shape.object(common);
export type MicroServiceRow = Shaped<typeof row>;

const detail = shape.object({
  ...common,
  boDynamic: maybeFlag,
  /** `id` is a container's task id. `master` is a boolean that one client expects as text. */
  loadBalanceDetail: maybe(
    shape.list(shape.object({ master: maybe(shape.either(flag, shape.string())), id: maybeText })),
  ),
});
export type MicroServiceDetail = Shaped<typeof detail>;

const instance = shape.object({ id: maybeText, taskId: maybeText, ip: maybeText, vsoaPort: maybeNumber });
export type MicroServiceInstance = Shaped<typeof instance>;

export interface MicroServiceFilter {
  /** Fuzzy search by name; see `byName` for an exact match. */
  readonly name?: string;
  readonly imageId?: string;
  readonly nodeId?: string;
  readonly label?: string;
}

export type LoadBalance =
  | { readonly loadBalance: 'roundRobin' }
  | {
      readonly loadBalance: 'masterSlave';
      readonly loadBalanceDetail: readonly { readonly master: boolean; readonly id: string }[];
    };

export class MicroServices {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(filter: MicroServiceFilter = {}, options: ListOptions = {}): AsyncIterable<MicroServiceRow> {
    return rowsOf(this.#source(filter), this.#limits, options);
  }

  page(
    pageNum: number,
    pageSize: number,
    filter: MicroServiceFilter = {},
    options: CallOptions = {},
  ): Promise<Page<MicroServiceRow>> {
    return pageOf(this.#source(filter), this.#limits, pageNum, pageSize, options);
  }

  /** The micro-service with exactly this name. */
  byName(name: string, options: ListOptions = {}): Promise<MicroServiceRow | undefined> {
    return findByName(this.list({ name }, options), name);
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<MicroServiceDetail> {
    const request = this.#rest
      .get()
      .resource('micro-service')
      .name(checkedId(id, 'micro-service', ['instance']));
    return fetchOne(withOptions(request, options), detail, 'micro-service', id);
  }

  async setLoadBalance(id: string, balance: LoadBalance, options: CallOptions = {}): Promise<void> {
    const hasDetail = 'loadBalanceDetail' in balance && balance.loadBalanceDetail.length > 0;
    if (hasDetail !== (balance.loadBalance === 'masterSlave')) {
      throw badRequest('loadBalanceDetail is required for masterSlave, and not allowed otherwise');
    }
    const request = this.#rest
      .put()
      .resource('micro-service')
      .body({ id, ...balance });
    await sendWrite(withOptions(request.kind('micro-service', id), options));
  }

  /** The addresses of its instances. A known client passes the service's name instead of the id. */
  instances(
    id: string,
    options: ListOptions & { readonly keyWord?: string } = {},
  ): AsyncIterable<MicroServiceInstance> {
    const source: PageSource<MicroServiceInstance> = {
      endpoint: 'GET /micro-service/instance',
      keyOf: (one) => one.taskId ?? one.id ?? JSON.stringify(one),
      fetch: (pageNum, pageSize, callOptions) => {
        const request = this.#rest.get().resource('micro-service', 'instance').param('id', id);
        const filtered = request.param('keyWord', options.keyWord).kind('micro-service', id);
        return fetchPage(filtered, pageNum, pageSize, callOptions, instance);
      },
    };
    return rowsOf(source, this.#limits, options);
  }

  #source(filter: MicroServiceFilter): PageSource<MicroServiceRow> {
    return {
      endpoint: 'GET /micro-service',
      keyOf: (one) => one.id,
      fetch: (pageNum, pageSize, options) => {
        const request = this.#rest
          .get()
          .resource('micro-service')
          .param('name', filter.name)
          .param('projectId', filter.imageId)
          .param('nodeId', filter.nodeId)
          .param('label', filter.label);
        return fetchPage(request, pageNum, pageSize, options, row);
      },
    };
  }
}
