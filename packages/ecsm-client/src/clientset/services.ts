/**
 * `/service`: the services of the platform. Creation, update and deletion continue after the call returns: observe the
 * containers by task id (`deployStatus`), or the `status` of the service.
 */
import { shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, checkedId, fetchOne, sendWrite, withOptions } from './call.ts';
import { fetchChanged } from './changed-pages.ts';
import type { ClientLimits } from './limits.ts';
import type { ListedRow, ListMemory } from './list-memory.ts';
import { fetchPage, findByName, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import type { DeployAction, ServiceBody } from './service-body.ts';
import {
  type DeployResult,
  deployResultsOf,
  idsOf,
  type Transaction,
  transactionOf,
  type WrittenService,
  writtenService,
} from './service-results.ts';
import {
  createdService,
  deletions,
  deployResults,
  ids as idsShape,
  type ServiceDeletion,
  type ServiceDetail,
  type ServiceRow,
  serviceDetail,
  serviceRow,
  serviceSummary,
} from './service-shapes.ts';
import { flag, isOn, numberOf } from './tolerant.ts';

export type ContainerAction = 'start' | 'stop' | 'restart' | 'pause' | 'unpause';
export type ServiceAction = ContainerAction | 'destroy';

export interface ServiceFilter {
  /** Fuzzy search by name; see `byName` for an exact match. */
  readonly name?: string;
  readonly imageId?: string;
  readonly nodeId?: string;
  /** Fuzzy search by path label. */
  readonly label?: string;
}

/** Path segments in the position of an id. */
const reserved = ['record', 'summary', 'path', 'container', 'rollback'];

export class Services {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(filter: ServiceFilter = {}, options: ListOptions = {}): AsyncIterable<ServiceRow> {
    return rowsOf(this.#source(filter), this.#limits, options);
  }

  /**
   * All services; those that have not changed since the last complete list with this memory have an id only, unless
   * `isNeeded`.
   */
  async *changes(
    memory: ListMemory,
    isNeeded: (id: string) => boolean,
    options: ListOptions = {},
  ): AsyncGenerator<ListedRow<ServiceRow>, void, undefined> {
    const source: PageSource<ListedRow<ServiceRow>> = {
      endpoint: 'GET /service',
      keyOf: ({ key }) => key,
      fetch: (pageNum, pageSize, callOptions) =>
        fetchChanged(this.#rest.get().resource('service'), pageNum, pageSize, callOptions, serviceRow, memory),
    };
    memory.start(isNeeded);
    let isComplete = false;
    try {
      yield* rowsOf(source, this.#limits, options);
      memory.finish();
      isComplete = true;
    } finally {
      if (!isComplete) memory.clear();
    }
  }

  page(
    pageNum: number,
    pageSize: number,
    filter: ServiceFilter = {},
    options: CallOptions = {},
  ): Promise<Page<ServiceRow>> {
    return pageOf(this.#source(filter), this.#limits, pageNum, pageSize, options);
  }

  /** The service with exactly this name. */
  byName(name: string, options: ListOptions = {}): Promise<ServiceRow | undefined> {
    return findByName(this.list({ name }, options), name);
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<ServiceDetail> {
    const request = this.#rest
      .get()
      .resource('service')
      .name(checkedId(id, 'service', reserved));
    return fetchOne(withOptions(request, options), serviceDetail, 'service', id);
  }

  /** Throws `AlreadyExists` if the name is taken, possibly by this call if an earlier response was lost. */
  async create(body: ServiceBody, options: CallOptions = {}): Promise<WrittenService> {
    const request = this.#rest.post().resource('service').body(body).kind('service', body.name);
    return writtenService(await withOptions(request, options).do(createdService));
  }

  /** Replaces the whole service, which may be the one that `get` returned. `prepull` applies to creation only and is not sent. */
  async update(
    body: (ServiceBody & { readonly id: string }) | ServiceDetail,
    options: CallOptions = {},
  ): Promise<WrittenService> {
    const { prepull: _, ...sent } = { prepull: undefined, ...body };
    const request = this.#rest.put().resource('service').body(sent).kind('service', body.name);
    const response = await withOptions(request, options).do(
      shape.either(createdService, shape.nullable(shape.string())),
    );
    return response === null || typeof response === 'string' ? { id: body.id, taskIds: [] } : writtenService(response);
  }

  async delete(id: string, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest
      .delete()
      .resource('service')
      .name(checkedId(id, 'service', reserved))
      .kind('service', id);
    return transactionOf(await withOptions(request, options).do(shape.anything()));
  }

  /** Returns the affected services, if the response contains them. Sends nothing without ids, which could mean all. */
  async control(ids: readonly string[], action: ServiceAction, options: CallOptions = {}): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const request = this.#rest.post().resource('service').name(action, 'action').resource('ids').body({ ids });
    return idsOf(await withOptions(request, options).do(idsShape)) ?? [];
  }

  /** Controls all services below a path label. */
  async controlPath(path: string, action: ServiceAction, options: CallOptions = {}): Promise<readonly string[]> {
    const request = this.#rest.post().resource('service').name(action, 'action').resource('path-label').body({ path });
    return idsOf(await withOptions(request, options).do(idsShape)) ?? [];
  }

  /** Controls all containers of one service. */
  async controlContainers(serviceId: string, action: ContainerAction, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('service', 'container').body({ serviceId, action });
    return transactionOf(await withOptions(request.kind('service', serviceId), options).do(shape.anything()));
  }

  /** `force` updates services that are already deployed. A service is matched by the name of its template. */
  async deployPaths(
    paths: readonly string[],
    action: DeployAction,
    options: CallOptions & { readonly force?: boolean } = {},
  ): Promise<readonly DeployResult[]> {
    return this.#deploy('templates-path-label', { paths }, action, options);
  }

  /** The older form of `deployPaths`; deprecated by the vendor since V1.3.0. */
  async deployTemplates(
    ids: readonly string[],
    action: DeployAction,
    options: CallOptions & { readonly force?: boolean } = {},
  ): Promise<readonly DeployResult[]> {
    return this.#deploy('templates-ids', { ids }, action, options);
  }

  /** Each service below the path has its own result: some may fail. */
  async deletePath(path: string, options: CallOptions = {}): Promise<readonly ServiceDeletion[]> {
    const request = this.#rest.delete().resource('service', 'path').body({ path });
    return (await withOptions(request, options).do(deletions)) ?? [];
  }

  redeploy(id: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.put().resource('service', 'deployment', 'restart').body({ id }).kind('service', id);
    return sendWrite(withOptions(request, options));
  }

  /** Rolls back to a deployment record; see `records()`. */
  async rollback(id: string, recordId: string, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('service', 'rollback').body({ id, recordId });
    return transactionOf(await withOptions(request.kind('record', recordId), options).do(shape.anything()));
  }

  /** Whether a service other than `exceptId` has this name. */
  async isNameTaken(name: string, options: CallOptions & { readonly exceptId?: string } = {}): Promise<boolean> {
    const request = this.#rest.get().resource('service', 'name', 'check').param('name', name);
    return isOn(await withOptions(request.param('id', options.exceptId), options).do(flag));
  }

  async summary(options: CallOptions = {}): Promise<{ readonly total: number; readonly healthy?: number }> {
    const request = this.#rest.get().resource('service', 'summary');
    const { total, health } = await withOptions(request, options).do(serviceSummary);
    const healthy = numberOf(health);
    return healthy === undefined ? { total } : { total, healthy };
  }

  async #deploy(
    form: string,
    what: object,
    action: DeployAction,
    options: CallOptions & { readonly force?: boolean },
  ): Promise<readonly DeployResult[]> {
    const { force } = options;
    const body = force === undefined ? what : { ...what, force };
    const request = this.#rest.post().resource('service').name(action, 'action').resource(form).body(body);
    return deployResultsOf(await withOptions(request, options).do(deployResults));
  }

  #source(filter: ServiceFilter): PageSource<ServiceRow> {
    return {
      endpoint: 'GET /service',
      keyOf: (row) => row.id,
      fetch: (pageNum, pageSize, options) => {
        const request = this.#rest
          .get()
          .resource('service')
          .param('name', filter.name)
          .param('id', filter.imageId)
          .param('nodeId', filter.nodeId)
          .param('label', filter.label);
        return fetchPage(request, pageNum, pageSize, options, serviceRow);
      },
    };
  }
}
