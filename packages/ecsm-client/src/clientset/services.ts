/**
 * `/service`: what runs on the platform. Creation, update and deletion are only begun when the call returns: follow the
 * containers by their task ids (`deployStatus`) or the service by its `status`.
 */
import { shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, done, find, idBeside, within } from './call.ts';
import type { ClientLimits } from './limits.ts';
import { fetchPage, firstNamed, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import {
  type DeployResult,
  deployResultsOf,
  idsOf,
  type Transaction,
  transactionOf,
  type WrittenService,
  writtenService,
} from './service-answers.ts';
import type { DeployAction, ServiceBody } from './service-body.ts';
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
  /** Finds every name that looks like it; see `byName`. */
  readonly name?: string;
  readonly imageId?: string;
  readonly nodeId?: string;
  /** Path label; also finds what looks like it. */
  readonly label?: string;
}

/** Words that stand where an id would. */
const words = ['record', 'summary', 'path', 'container', 'rollback'];

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

  page(
    pageNum: number,
    pageSize: number,
    filter: ServiceFilter = {},
    options: CallOptions = {},
  ): Promise<Page<ServiceRow>> {
    return pageOf(this.#source(filter), this.#limits, pageNum, pageSize, options);
  }

  /** The service of exactly that name. */
  byName(name: string, options: ListOptions = {}): Promise<ServiceRow | undefined> {
    return firstNamed(this.list({ name }, options), name);
  }

  /** `NotFound`, or `Rejected` with a code of the platform's own, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<ServiceDetail> {
    const request = this.#rest
      .get()
      .resource('service')
      .name(idBeside(id, 'service', words));
    return find(within(request, options), serviceDetail, 'service', id);
  }

  /** `AlreadyExists` if the name is taken: after a lost answer, by this very call perhaps. */
  async create(body: ServiceBody, options: CallOptions = {}): Promise<WrittenService> {
    const request = this.#rest.post().resource('service').body(body).kind('service', body.name);
    return writtenService(await within(request, options).do(createdService));
  }

  /** Replaces all of the service. `prepull` belongs to creation alone and is not sent. */
  async update(body: ServiceBody & { readonly id: string }, options: CallOptions = {}): Promise<WrittenService> {
    const { prepull: _, ...sent } = body;
    const request = this.#rest.put().resource('service').body(sent).kind('service', body.name);
    const answer = await within(request, options).do(shape.either(createdService, shape.nullable(shape.string())));
    return answer === null || typeof answer === 'string' ? { id: body.id, taskIds: [] } : writtenService(answer);
  }

  async delete(id: string, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest
      .delete()
      .resource('service')
      .name(idBeside(id, 'service', words))
      .kind('service', id);
    return transactionOf(await within(request, options).do(shape.anything()));
  }

  /** Gives the services that were acted on, where the platform tells. Nothing is sent for no ids: it could mean all. */
  async control(ids: readonly string[], action: ServiceAction, options: CallOptions = {}): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const request = this.#rest.post().resource('service').name(action, 'action').resource('ids').body({ ids });
    return idsOf(await within(request, options).do(idsShape)) ?? [];
  }

  /** Acts on all services under a path label. */
  async controlPath(path: string, action: ServiceAction, options: CallOptions = {}): Promise<readonly string[]> {
    const request = this.#rest.post().resource('service').name(action, 'action').resource('path-label').body({ path });
    return idsOf(await within(request, options).do(idsShape)) ?? [];
  }

  /** All containers of one service. */
  async controlContainers(serviceId: string, action: ContainerAction, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('service', 'container').body({ serviceId, action });
    return transactionOf(await within(request.kind('service', serviceId), options).do(shape.anything()));
  }

  /** `force` updates services that are deployed already. A service is matched by its template's name. */
  async deployPaths(
    paths: readonly string[],
    action: DeployAction,
    options: CallOptions & { readonly force?: boolean } = {},
  ): Promise<readonly DeployResult[]> {
    return this.#deploy('templates-path-label', { paths }, action, options);
  }

  /** The older form of `deployPaths`; the vendor advises against it since V1.3.0. */
  async deployTemplates(
    ids: readonly string[],
    action: DeployAction,
    options: CallOptions & { readonly force?: boolean } = {},
  ): Promise<readonly DeployResult[]> {
    return this.#deploy('templates-ids', { ids }, action, options);
  }

  /** Each service under the path has a result of its own: some may fail while others go. */
  async deletePath(path: string, options: CallOptions = {}): Promise<readonly ServiceDeletion[]> {
    const request = this.#rest.delete().resource('service', 'path').body({ path });
    return (await within(request, options).do(deletions)) ?? [];
  }

  redeploy(id: string, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.put().resource('service', 'deployment', 'restart').body({ id }).kind('service', id);
    return done(within(request, options));
  }

  /** Back to a deployment record; see `records()`. */
  async rollback(id: string, recordId: string, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('service', 'rollback').body({ id, recordId });
    return transactionOf(await within(request.kind('record', recordId), options).do(shape.anything()));
  }

  /** Whether a service other than `exceptId` has this name. */
  async isNameTaken(name: string, options: CallOptions & { readonly exceptId?: string } = {}): Promise<boolean> {
    const request = this.#rest.get().resource('service', 'name', 'check').param('name', name);
    return isOn(await within(request.param('id', options.exceptId), options).do(flag));
  }

  async summary(options: CallOptions = {}): Promise<{ readonly total: number; readonly healthy?: number }> {
    const request = this.#rest.get().resource('service', 'summary');
    const { total, health } = await within(request, options).do(serviceSummary);
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
    return deployResultsOf(await within(request, options).do(deployResults));
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
