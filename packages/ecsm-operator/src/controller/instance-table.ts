/**
 * The instances of each service by node, as reconciles observe them, and those that the platform may still create because
 * of an earlier decision. Together they are what a service claims of the nodes.
 */
import type { InstanceCounts, ListedInstances } from '../observe/capacity.ts';
import type { PlatformService } from '../resource/model.ts';
import { lackOf } from '../service/placement/lack-of-room.ts';
import type { PlacementService } from '../service/placement/model.ts';

interface Claim {
  readonly placed: InstanceCounts;
  /** Requested from the platform. */
  readonly requested: number;
  readonly requestedNodes: readonly string[];
}

/** What a service may request because of the last answers. */
interface Promised {
  readonly total: number;
  readonly nodeNames: readonly string[];
}

const nothing: Promised = { total: 0, nodeNames: [] };

export class InstanceTable {
  readonly #claims = new Map<string, Claim>();
  readonly #promised = new Map<string, Promised>();

  has(key: string): boolean {
    return this.#claims.has(key);
  }

  /** Before a reconcile has observed the service: an operator that ran before may have requested more than exists. */
  list(key: string, { placed, requested }: ListedInstances): void {
    this.#claims.set(key, { placed, requested, requestedNodes: [] });
  }

  /** A reconcile observed these services, and acts on the answer `used`. Returns whether that changes what it claims. */
  observe(key: string, services: readonly PlatformService[], used: Promised = nothing): boolean {
    const placed = new Map<string, number>();
    for (const instance of services.flatMap(({ instances }) => instances)) {
      // The platform has no room for it where it is: it needs room like one that does not exist yet.
      if (lackOf(instance) !== undefined) continue;
      placed.set(instance.nodeName, (placed.get(instance.nodeName) ?? 0) + 1);
    }
    const requested = services.reduce((sum, { policy, factor }) => sum + (policy === 'dynamic' ? factor : 0), 0);
    const requestedNodes = services.flatMap(({ policy, nodeNames }) => (policy === 'static' ? nodeNames : []));
    const before = JSON.stringify(this.#shown(key));
    this.#claims.set(key, { placed, requested, requestedNodes: [...new Set(requestedNodes)] });
    this.#promised.set(key, used);
    return JSON.stringify(this.#shown(key)) !== before;
  }

  /** It may request so many from now on. What was promised before counts until it is observed again. */
  promise(key: string, total: number, nodeNames: readonly string[] = []): void {
    const before = this.#promised.get(key) ?? nothing;
    const names = new Set([...before.nodeNames, ...nodeNames]);
    this.#promised.set(key, { total: Math.max(before.total, total), nodeNames: [...names] });
  }

  claimOf(key: string, policy: 'Dynamic' | 'Static'): Pick<PlacementService, 'placed' | 'floating' | 'floatingNodes'> {
    const { placed = new Map(), requested = 0, requestedNodes = [] } = this.#claims.get(key) ?? {};
    const { total, nodeNames } = this.#promised.get(key) ?? nothing;
    if (policy === 'Static') {
      const names = new Set([...requestedNodes, ...nodeNames]);
      return { placed, floating: 0, floatingNodes: [...names].filter((name) => !placed.has(name)) };
    }
    let count = 0;
    for (const instances of placed.values()) count += instances;
    return { placed, floating: Math.max(requested, total, count) - count, floatingNodes: [] };
  }

  /** Instances of a service on a node. */
  countOn(key: string, nodeName: string): number {
    return this.#claims.get(key)?.placed.get(nodeName) ?? 0;
  }

  delete(key: string): void {
    this.#claims.delete(key);
    this.#promised.delete(key);
  }

  clear(): void {
    this.#claims.clear();
    this.#promised.clear();
  }

  #shown(key: string): unknown {
    const { placed = new Map(), requested = 0, requestedNodes = [] } = this.#claims.get(key) ?? {};
    return [[...placed].sort(), requested, requestedNodes, this.#promised.get(key)];
  }
}
