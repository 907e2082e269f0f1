/**
 * What is true of a platform at any time, and what once it had the time to settle. Each function throws what is wrong.
 */
import type { Platform } from './contract.ts';
import type { Container, State } from './model.ts';

function must(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Error(otherwise);
}

export function checkAlways(platform: Platform): void {
  const state = platform.snapshot();
  const containers = Object.values(state.containers);
  for (const container of containers) checkContainer(state, container);
  checkIndexes(platform, containers);
  checkUsage(platform);
  for (const { serviceId } of state.records) must(Object.hasOwn(state.services, serviceId), 'a record without service');
  for (const [serviceId, { detail }] of Object.entries(state.loadBalance)) {
    must(Object.hasOwn(state.services, serviceId), 'a balance without service');
    for (const { id } of detail) must(state.containers[id]?.serviceId === serviceId, 'a balance without container');
  }
  for (const { atMs, what } of state.agenda) must(atMs >= state.nowMs, `${what} is overdue`);
  for (const { images, name } of Object.values(state.nodes)) {
    for (const id of Object.keys(images)) must(Object.hasOwn(state.images, id), `${name} holds an image that is gone`);
  }
}

function checkContainer(state: State, container: Container): void {
  const { name, nodeId, serviceId, deployStatus, status } = container;
  const service = state.services[serviceId];
  const node = state.nodes[nodeId];
  must(service !== undefined, `${name} belongs to no service`);
  must(node !== undefined, `${name} is on no node`);
  must(deployStatus === 'success' || status === 'created', `${name} is ${status} and not deployed`);
  must((container.failedMessage !== null) === (deployStatus === 'failure'), `${name} has the wrong message`);
  must(status !== 'running' || container.startedMs !== null, `${name} runs and was never started`);
  // One that is on its way out may be where the service no longer is.
  must(container.leaving || service.nodeNames.includes(node.name), `${name} is where its service is not`);
}

function checkIndexes(platform: Platform, containers: readonly Container[]): void {
  const tasks = (some: readonly Container[]) => some.map(({ taskId }) => taskId).join();
  for (const { id, name } of platform.services()) {
    const own = containers.filter((one) => one.serviceId === id);
    must(tasks(platform.containersOfService(id)) === tasks(own), `the containers of service ${name} are others`);
    must(platform.serviceNamed(name)?.id === id, `service ${name} is not found by its name`);
  }
  for (const { id, name } of platform.nodes()) {
    const own = containers.filter((one) => one.nodeId === id);
    must(tasks(platform.containersOfNode(id)) === tasks(own), `the containers of node ${name} are others`);
    must(platform.nodeNamed(name)?.id === id, `node ${name} is not found by its name`);
  }
  for (const { name, taskId } of containers) {
    must(platform.containerNamed(name)?.taskId === taskId, `container ${name} is not found by its name`);
  }
  for (const { name, tag, os, id } of platform.images('local')) {
    must(platform.imageByRef(`${name}@${tag}#${os}`)?.id === id, `image ${name} is not found by its reference`);
  }
}

/** The sums that are kept agree with what there is. */
function checkUsage(platform: Platform): void {
  for (const node of platform.nodes()) {
    if (!node.online) continue;
    const containers = platform.containersOfNode(node.id);
    const memoryBytes = containers.reduce(
      (sum, container) => sum + platform.usageOf(container).memoryBytes,
      node.memoryOtherBytes,
    );
    const usage = platform.usageOfNode(node);
    must(usage.memoryFreeBytes === Math.max(0, node.memoryTotalBytes - memoryBytes), `${node.name}: wrong free memory`);
    const running = containers.filter(({ status }) => status === 'running').length;
    must(usage.containers.ecsmRunning === running, `${node.name}: wrong number of running containers`);
  }
}

/** All nodes are online, and there was no action for a long time. */
export function checkSettled(platform: Platform): void {
  for (const service of platform.services()) {
    must(service.deletingMs === null, `${service.name} is never deleted`);
    must(service.rolling === null && service.rollQueue.length === 0, `${service.name} rolls for ever`);
    const containers = platform.containersOfService(service.id);
    for (const { name, deployStatus, leaving, imageRef } of containers) {
      must(deployStatus !== 'deploying', `${name} deploys for ever`);
      must(!leaving, `${name} leaves for ever`);
      must(deployStatus === 'failure' || imageRef === service.image.ref, `${name} has an old image`);
    }
    const names = containers.map(({ nodeId }) => platform.node(nodeId)?.name ?? '').sort();
    if (service.policy === 'static')
      must(names.join() === [...service.nodeNames].sort().join(), 'not one on each node');
    else must(containers.length === service.factor, `${service.name} has ${containers.length}, not ${service.factor}`);
  }
}
