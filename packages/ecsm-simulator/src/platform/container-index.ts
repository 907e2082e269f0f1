/** All containers, found by task, by name, by service and by node without looking at the others. */
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

  /** In order of creation, as are those of one service and of one node. */
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
    join(this.#byService, container.serviceId, container);
    join(this.#byNode, container.nodeId, container);
  }

  remove(container: Container): void {
    this.#byTask.delete(container.taskId);
    this.#byName.delete(container.name);
    leave(this.#byService, container.serviceId, container);
    leave(this.#byNode, container.nodeId, container);
  }

  /** All containers of one service go to another id of it. */
  handOver(fromServiceId: string, toServiceId: string): void {
    const group = this.#byService.get(fromServiceId);
    if (group === undefined) return;
    this.#byService.delete(fromServiceId);
    this.#byService.set(toServiceId, group);
    for (const container of group.values()) container.serviceId = toServiceId;
  }
}

function join(groups: Map<string, Group>, key: string, container: Container): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Map([[container.taskId, container]]));
  else group.set(container.taskId, container);
}

function leave(groups: Map<string, Group>, key: string, container: Container): void {
  const group = groups.get(key);
  group?.delete(container.taskId);
  if (group?.size === 0) groups.delete(key);
}
