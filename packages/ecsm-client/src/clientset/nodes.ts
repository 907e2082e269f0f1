/** `/node`: the nodes of the platform. */
import { type Shaped, shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, checkedId, fetchOne, sendWrite, withOptions } from './call.ts';
import { type ClientLimits, groupsOf } from './limits.ts';
import {
  type NodeBasicRow,
  type NodeConflict,
  type NodeRow,
  type NodeStatusRow,
  type NodeTypeChange,
  nodeBasicRow,
  nodeConflict,
  nodeDetail,
  nodeRecord,
  nodeRow,
  nodeStatusRow,
  nodeTypeChange,
} from './node-shapes.ts';
import { fetchPage, findByName, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import { cpuPercentOf, flag, isOn, numberOf } from './tolerant.ts';

export interface NodeFilter {
  /** Fuzzy search by name; see `byName` for an exact match. */
  readonly name?: string;
}

export interface NodeBody {
  /** `ip:port` of the node's agent. */
  readonly address: string;
  readonly name: string;
  readonly password: string;
  readonly tls?: boolean;
}

export type Node = Omit<Shaped<typeof nodeDetail>, 'tls'> & { readonly tls: boolean };

export type NodeStatus = NodeStatusRow & {
  /** Of all cores together; absent if unknown. */
  readonly cpuPercent?: number;
  /** `diskTotal` and `diskFree` in bytes; absent if unknown. */
  readonly diskTotalBytes?: number;
  readonly diskFreeBytes?: number;
};

/**
 * A total below this is in MB (MiB), else in bytes: no disk has 16 MiB, and none has 16 TiB. The unit is not
 * documented; the types that a client of the platform uses suggest MB.
 */
const diskBytesMin = 2 ** 24;

/** Path segments in the position of an id. */
const reserved = ['status'];

export class Nodes {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(filter: NodeFilter = {}, options: ListOptions = {}): AsyncIterable<NodeRow> {
    return rowsOf(this.#source(filter), this.#limits, options);
  }

  /** Names and addresses, without live data of the nodes. */
  listBasic(filter: NodeFilter = {}, options: ListOptions = {}): AsyncIterable<NodeBasicRow> {
    const source: PageSource<NodeBasicRow> = {
      endpoint: 'GET /node',
      keyOf: (row) => row.id,
      fetch: (pageNum, pageSize, callOptions) => {
        const request = this.#rest.get().resource('node').param('name', filter.name).param('basicInfo', true);
        return fetchPage(request, pageNum, pageSize, callOptions, nodeBasicRow);
      },
    };
    return rowsOf(source, this.#limits, options);
  }

  page(pageNum: number, pageSize: number, filter: NodeFilter = {}, options: CallOptions = {}): Promise<Page<NodeRow>> {
    return pageOf(this.#source(filter), this.#limits, pageNum, pageSize, options);
  }

  /** The node with exactly this name, with its status. */
  byName(name: string, options: ListOptions = {}): Promise<NodeRow | undefined> {
    return findByName(this.list({ name }, options), name);
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  async get(id: string, options: CallOptions = {}): Promise<Node> {
    const request = this.#rest
      .get()
      .resource('node')
      .name(checkedId(id, 'node', reserved));
    const node = await fetchOne(withOptions(request, options), nodeDetail, 'node', id);
    return { ...node, tls: isOn(node.tls) };
  }

  /** By name in one call, without the status. Throws like `get`. */
  async getByName(name: string, options: CallOptions = {}): Promise<Node> {
    const request = this.#rest
      .get()
      .resource('node', 'name')
      .name(checkedId(name, 'node', ['check']), 'name');
    const { ip, port, ...node } = await fetchOne(withOptions(request, options), nodeRecord, 'node', name);
    const address = node.address ?? (typeof ip === 'string' && port != null ? `${ip}:${port}` : null);
    return { ...node, address, tls: isOn(node.tls) };
  }

  /** Live measurements, in as many requests as the ids need. Unknown nodes are omitted. */
  async status(ids: readonly string[], options: CallOptions = {}): Promise<readonly NodeStatus[]> {
    const nodes = new Map<string, NodeStatus>();
    const response = shape.object({ nodes: shape.nullable(shape.list(nodeStatusRow)) });
    for (const group of groupsOf('ids', ids, this.#limits)) {
      const request = this.#rest.get().resource('node', 'status').list('ids', group);
      for (const row of (await withOptions(request, options).do(response)).nodes ?? [])
        nodes.set(row.id, statusOf(row));
    }
    return [...nodes.values()];
  }

  create(body: NodeBody, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.post().resource('node').body(body).kind('node', body.name);
    return sendWrite(withOptions(request, options));
  }

  update(body: Required<NodeBody> & { readonly id: string }, options: CallOptions = {}): Promise<void> {
    const request = this.#rest.put().resource('node').body(body).kind('node', body.name);
    return sendWrite(withOptions(request, options));
  }

  /** Returns the nodes that were not deleted because services use them; an empty list if all were deleted. */
  async delete(ids: readonly string[], options: CallOptions = {}): Promise<readonly NodeConflict[]> {
    if (ids.length === 0) return [];
    const request = this.#rest.delete().resource('node').body({ ids });
    const conflicts = shape.either(shape.list(nodeConflict), shape.nullable(shape.string()));
    const response = await withOptions(request, options).do(conflicts);
    return response === null || typeof response === 'string' ? [] : response;
  }

  /** Whether a node other than `exceptId` has this name. */
  async isNameTaken(name: string, options: CallOptions & { readonly exceptId?: string } = {}): Promise<boolean> {
    const request = this.#rest.get().resource('node', 'name', 'check').param('name', name);
    return isOn(await withOptions(request.param('id', options.exceptId), options).do(flag));
  }

  async isAddressTaken(
    address: string,
    options: CallOptions & { readonly exceptId?: string; readonly tls?: boolean } = {},
  ): Promise<boolean> {
    const request = this.#rest.get().resource('node', 'address', 'check').param('address', address);
    return isOn(await withOptions(request.param('id', options.exceptId).param('tls', options.tls), options).do(flag));
  }

  /** Starts to query the types of all nodes again. */
  refreshTypes(options: CallOptions = {}): Promise<void> {
    return sendWrite(withOptions(this.#rest.put().resource('node', 'type'), options));
  }

  /** The nodes whose type has changed. */
  async typeChanges(options: CallOptions = {}): Promise<readonly NodeTypeChange[]> {
    const request = this.#rest.get().resource('node', 'type', 'check');
    return (await withOptions(request, options).do(shape.nullable(shape.list(nodeTypeChange)))) ?? [];
  }

  #source(filter: NodeFilter): PageSource<NodeRow> {
    return {
      endpoint: 'GET /node',
      keyOf: (row) => row.id,
      fetch: (pageNum, pageSize, options) =>
        fetchPage(this.#rest.get().resource('node').param('name', filter.name), pageNum, pageSize, options, nodeRow),
    };
  }
}

function statusOf(row: NodeStatusRow): NodeStatus {
  const cpuPercent = cpuPercentOf(row.cpuUsage);
  return { ...row, ...(cpuPercent !== undefined && { cpuPercent }), ...diskOf(row) };
}

function diskOf(row: NodeStatusRow): Pick<NodeStatus, 'diskTotalBytes' | 'diskFreeBytes'> {
  const total = numberOf(row.diskTotal);
  const free = numberOf(row.diskFree);
  const unitBytes = total !== undefined && total < diskBytesMin ? 2 ** 20 : 1;
  return {
    ...(total !== undefined && { diskTotalBytes: total * unitBytes }),
    // Without a total, its unit is not known.
    ...(total !== undefined && free !== undefined && { diskFreeBytes: free * unitBytes }),
  };
}
