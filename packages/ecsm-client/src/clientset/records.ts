/** `/service/record`: the past deployments of a service, one for each creation and update. */
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, fetchOne, sendWrite, withOptions } from './call.ts';
import type { ClientLimits } from './limits.ts';
import { fetchPage, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import {
  type DeploymentRecord,
  type DeploymentRecordDetail,
  normalizeRecord,
  recordDetail,
  recordRow,
} from './record-shapes.ts';

export class Records {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(serviceId: string, options: ListOptions = {}): AsyncIterable<DeploymentRecord> {
    return rowsOf(this.#source(serviceId), this.#limits, options);
  }

  page(
    pageNum: number,
    pageSize: number,
    serviceId: string,
    options: CallOptions = {},
  ): Promise<Page<DeploymentRecord>> {
    return pageOf(this.#source(serviceId), this.#limits, pageNum, pageSize, options);
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<DeploymentRecordDetail> {
    const request = this.#rest.get().resource('service', 'record').name(id);
    return normalizeRecord(await fetchOne(withOptions(request, options), recordDetail, 'record', id), id);
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.delete().resource('service', 'record').param('id', id).kind('record', id);
    return sendWrite(withOptions(request, options));
  }

  #source(serviceId: string): PageSource<DeploymentRecord> {
    return {
      endpoint: 'GET /service/record',
      keyOf: (row) => row.id,
      fetch: async (pageNum, pageSize, options) => {
        const request = this.#rest.get().resource('service', 'record').param('id', serviceId);
        const named = request.kind('service', serviceId);
        const { list, total } = await fetchPage(named, pageNum, pageSize, options, recordRow);
        return { list: list.map((row) => normalizeRecord(row, row.id)), total };
      },
    };
  }
}
