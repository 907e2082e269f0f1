/** `/container`: the instances of services. There is no list of all containers: list services or nodes first. */
import { shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, find, idBeside, within } from './call.ts';
import { type ContainerActionRow, type ContainerRow, containerActionRow, containerRow } from './container-shapes.ts';
import { type ClientLimits, encodedBytes, groupsOf } from './limits.ts';
import { ListTime } from './list-time.ts';
import { fetchPage, joined, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import { type Transaction, transactionOf } from './service-answers.ts';
import type { ContainerAction } from './services.ts';

export interface ContainerListOptions extends ListOptions {
  /** A keyword; finds what looks like it. */
  readonly key?: string;
}

type Parent = 'service' | 'node';
const idsName = { service: 'serviceIds', node: 'nodeIds' } as const;

/** Words that stand where an id would. */
const words = ['service', 'node'];

export class Containers {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  /** By task id. `NotFound`, or `Rejected` with a code of the platform's own, if there is none. */
  async get(taskId: string, options: CallOptions = {}): Promise<ContainerRow> {
    const request = this.#rest
      .get()
      .resource('container')
      .name(idBeside(taskId, 'container', words));
    return find(within(request, options), containerRow, 'container', taskId);
  }

  /** Of any number of services: as many requests as the ids need, and each container once. None for no ids. */
  ofServices(ids: readonly string[], options: ContainerListOptions = {}): AsyncIterable<ContainerRow> {
    return this.#all('service', ids, options);
  }

  /** Of any number of nodes, in the same way. */
  ofNodes(ids: readonly string[], options: ContainerListOptions = {}): AsyncIterable<ContainerRow> {
    return this.#all('node', ids, options);
  }

  /** One page of the containers of one service, or of a few: the ids go into one request, however long it gets. */
  pageOfServices(
    pageNum: number,
    pageSize: number,
    ids: readonly string[],
    options: CallOptions & { readonly key?: string } = {},
  ): Promise<Page<ContainerRow>> {
    return pageOf(this.#source('service', ids, options.key), this.#limits, pageNum, pageSize, options);
  }

  /** By the container's *name*, not by one of its ids: so the platform wants it. */
  async control(name: string, action: ContainerAction, options: CallOptions = {}): Promise<Transaction> {
    const request = this.#rest.put().resource('container').body({ id: name, action }).kind('container', name);
    return transactionOf(await within(request, options).do(shape.anything()));
  }

  /** What people and programs did to a container. */
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
    return joined(lists, (row) => row.taskId);
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
