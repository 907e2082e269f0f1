/** All containers, indexed by task, name, service and node. */
import type { Container } from './model.ts';

type Group = Map<string, Container>;

const none: ReadonlyMap<string, Container> = new Map();

export class ContainerIndex {
  readonly #byTask: Group = new Map();
  readonly #byName: Group = new Map();
  readonly #byService = new Map<string, Group>();
  readonly #byNode = new Map<string, Group>();

  get size(): number {
    return this.#byTask.size;
  }

  /** In order of creation, like those of one service or node. */
  values(): IterableIterator<Container> {
    return this.#byTask.values();
  }

  get(taskId: string): Container | undefined {
    return this.#byTask.get(taskId);
  }

  named(name: string): Container | undefined {
    return this.#byName.get(name);
  }

  ofService(serviceId: string): ReadonlyMap<string, Container> {
    return this.#byService.get(serviceId) ?? none;
  }

  onNode(nodeId: string): ReadonlyMap<string, Container> {
    return this.#byNode.get(nodeId) ?? none;
  }

  add(container: Container): void {
    this.#byTask.set(container.taskId, container);
    this.#byName.set(container.name, container);
    addTo(this.#byService, container.serviceId, container);
    addTo(this.#byNode, container.nodeId, container);
  }

  remove(container: Container): void {
    this.#byTask.delete(container.taskId);
    this.#byName.delete(container.name);
    removeFrom(this.#byService, container.serviceId, container);
    removeFrom(this.#byNode, container.nodeId, container);
  }

  /** Moves all containers to a new id of their service. */
  reassign(fromServiceId: string, toServiceId: string): void {
    const group = this.#byService.get(fromServiceId);
    if (group === undefined) return;
    this.#byService.delete(fromServiceId);
    this.#byService.set(toServiceId, group);
    for (const container of group.values()) container.serviceId = toServiceId;
  }
}

function addTo(groups: Map<string, Group>, key: string, container: Container): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Map([[container.taskId, container]]));
  else group.set(container.taskId, container);
}

function removeFrom(groups: Map<string, Group>, key: string, container: Container): void {
  const group = groups.get(key);
  group?.delete(container.taskId);
  if (group?.size === 0) groups.delete(key);
}
