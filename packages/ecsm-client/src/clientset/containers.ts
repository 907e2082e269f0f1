/**
 * `/container`: the instances of services. The platform has no list of all containers: list services or nodes first.
 */
import { shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, checkedId, fetchOne, withOptions } from './call.ts';
import { type ContainerActionRow, type ContainerRow, containerActionRow, containerRow } from './container-shapes.ts';
import { type ClientLimits, encodedBytes, groupsOf } from './limits.ts';
import { ListTime } from './list-time.ts';
import { fetchPage, type ListOptions, merged, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import { type Transaction, transactionOf } from './service-results.ts';
import type { ContainerAction } from './services.ts';

export interface ContainerListOptions extends ListOptions {
  /** A keyword for the platform's fuzzy search. */
  readonly key?: string;
}

type Parent = 'service' | 'node';
const idsName = { service: 'serviceIds', node: 'nodeIds' } as const;

/** Path segments in the position of an id. */
const reserved = ['service', 'node'];

export class Containers {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  /** By task id. Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(taskId: string, options: CallOptions = {}): Promise<ContainerRow> {
    const request = this.#rest
      .get()
      .resource('container')
      .name(checkedId(taskId, 'container', reserved));
    return fetchOne(withOptions(request, options), containerRow, 'container', taskId);
  }

  /** Containers of any number of services, in as many requests as the ids need; each container once. */
  ofServices(ids: readonly string[], options: ContainerListOptions = {}): AsyncIterable<ContainerRow> {
    return this.#all('service', ids, options);
  }

  /** Containers of any number of nodes, like `ofServices`. */
  ofNodes(ids: readonly string[], options: ContainerListOptions = {}): AsyncIterable<ContainerRow> {
    return this.#all('node', ids, options);
  }

  /** One page of the containers of a few services: all ids are sent in one request. */
  pageOfServices(
    pageNum: number,
    pageSize: number,
    ids: readonly string[],
    options: CallOptions & { readonly key?: string } = {},
  ): Promise<Page<ContainerRow>> {
    return pageOf(this.#source('service', ids, options.key), this.#limits, pageNum, pageSize, options);
  }

  /** By the container's *name*: the platform does not accept its ids here. */
  async control(name: string, action: ContainerAction, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('container').body({ id: name, action }).kind('container', name);
    return transactionOf(await withOptions(request, options).do(shape.anything()));
  }

  /** Actions that users and programs performed on a container. */
  history(taskId: string, options: ListOptions = {}): AsyncIterable<ContainerActionRow> {
    const source: PageSource<ContainerActionRow> = {
      endpoint: 'GET /container/action/history',
      fetch: (pageNum, pageSize, callOptions) => {
        const request = this.#rest.get().resource('container', 'action', 'history').param('id', taskId);
        return fetchPage(request.kind('container', taskId), pageNum, pageSize, callOptions, containerActionRow);
      },
    };
    return rowsOf(source, this.#limits, options);
  }

  #all(parent: Parent, ids: readonly string[], options: ContainerListOptions): AsyncIterable<ContainerRow> {
    const keyBytes = options.key === undefined ? 0 : encodedBytes(options.key);
    const time = new ListTime(this.#limits, options);
    const lists = groupsOf(idsName[parent], ids, this.#limits, keyBytes).map((group) =>
      rowsOf(this.#source(parent, group, options.key), this.#limits, options, time),
    );
    return merged(lists, (row) => row.taskId);
  }

  #source(parent: Parent, ids: readonly string[], key: string | undefined): PageSource<ContainerRow> {
    return {
      endpoint: `GET /container/${parent}`,
      keyOf: (row) => row.taskId,
      fetch: (pageNum, pageSize, options) => {
        const request = this.#rest.get().resource('container', parent).list(idsName[parent], ids).param('key', key);
        return fetchPage(request, pageNum, pageSize, options, containerRow);
      },
    };
  }
}
