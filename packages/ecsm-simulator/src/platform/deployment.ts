/**
 * The deployment of one container: pull the image if the node does not have it, and start. Capacity and planned
 * failures are checked when a step is due, not in advance.
 *
 *     deploy ──▶ (pulled) ──▶ started ──▶ success: running, or created for `load`
 *        │           ╰───────────┴──────▶ failure, with a message
 *        ╰── node offline, or no image ──▶ waits ──▶ gaveUp
 */
import { shortageOfStarting } from './capacity.ts';
import { run, setStatus, startDelayMs } from './containers.ts';
import { limitsOf, pullPolicyOf, vsoaPortOf } from './image-config.ts';
import { isNodeOccupied, isNodeOnline } from './instances.ts';
import type { Container, Image, Node, ScheduledEvent, Service } from './model.ts';
import { Refusal, refusals } from './refusal.ts';
import { freeDiskOf, invalidateTotals } from './usage.ts';
import type { World } from './world.ts';

/** The first dynamically allocated VSOA port of a node. */
const vsoaPortMin = 30_000;
const defaultFailure = '部署失败';

/** Makes the next deployments fail, of one service (by name) or of any. */
export function failDeployments(
  world: World,
  failure: { readonly service?: string; readonly message?: string; readonly count: number },
): void {
  if (!Number.isSafeInteger(failure.count) || failure.count < 1) {
    throw new Refusal('badRequest', 'count', { count: 'has to be a whole number, 1 or more' });
  }
  const { service = null, message = '', count } = failure;
  world.plannedFailures.push({ service, message, left: count });
}

/** Deploys or redeploys a container, and cancels its pending steps. Its runtime id and counters start anew. */
export function deploy(world: World, container: Container, wanted?: Container['wanted']): void {
  const service = world.services.get(container.serviceId);
  const node = world.nodes.get(container.nodeId);
  if (service === undefined || node === undefined) return;
  const limits = limitsOf(service.image, node);
  container.deployNum++;
  container.deployStatus = 'deploying';
  container.failedMessage = null;
  container.imageRef = service.image.ref;
  container.wanted = wanted ?? (service.image.action === 'run' ? 'running' : 'loaded');
  container.runtimeId = node.type === 'linux' ? world.hex(64) : container.name;
  container.startedMs = null;
  container.crashAtMs = null;
  container.condemnedAtMs = null;
  container.restartCnt = 0;
  container.memoryMaxUsageBytes = 0;
  container.memoryLimitBytes = limits.memoryBytes;
  container.diskLimitBytes = limits.diskBytes;
  container.vsoaPort = vsoaPort(world, container, service);
  setStatus(world, container, 'created');
  startDeployment(world, container);
}

/** Starts or restarts a deployment that is not complete. */
export function startDeployment(world: World, container: Container): void {
  container.step++;
  const service = world.services.get(container.serviceId);
  const node = world.nodes.get(container.nodeId);
  if (service === undefined || node === undefined) return;
  const schedule = (what: 'pulled' | 'started' | 'gaveUp', delayMs: number) =>
    void world.schedule(what, container.taskId, delayMs, container.step);
  if (!node.online) {
    if (world.behaviour.offlineDeployment === 'fail') schedule('gaveUp', world.behaviour.deployTimeoutMs);
    return;
  }
  const image = world.localImage(container.imageRef);
  const policy = pullPolicyOf(service.image);
  if (policy === 'Never' || isNodeOccupied(world, service, container)) schedule('started', startDelayMs(world));
  else if (image === undefined) schedule('gaveUp', world.behaviour.deployTimeoutMs);
  else if (needsPull(node, image, policy)) schedule('pulled', pullMs(world, image));
  else schedule('started', startDelayMs(world));
}

/** Pulls the image to every listed node that is online and does not have it, so that a later migration is faster. */
export function prepull(world: World, service: Service): void {
  const image = world.localImage(service.image.ref);
  if (image === undefined || !service.prepull) return;
  for (const name of service.nodeNames) {
    const node = world.nodesByName.get(name);
    if (node === undefined || !node.online || !needsPull(node, image, 'Always')) continue;
    world.schedule('prepulled', `${node.id} ${image.id}`, pullMs(world, image));
  }
}

function needsPull(node: Node, image: Image, policy: 'Always' | 'IfNotPresent'): boolean {
  const digest = Object.hasOwn(node.images, image.id) ? node.images[image.id] : undefined;
  return policy === 'Always' ? digest !== image.digest : digest === undefined;
}

function pullMs(world: World, image: Image): number {
  return Math.ceil((image.sizeBytes / world.behaviour.pullBytesPerSecond) * 1000);
}

/** A fixed port is used unchanged: whether two containers of a node may have the same port is not documented. */
function vsoaPort(world: World, container: Container, service: Service): number | null {
  const wanted = vsoaPortOf(service.image);
  if (wanted === undefined) return null;
  if (wanted > 0) return wanted;
  if (container.vsoaPort !== null && container.vsoaPort >= vsoaPortMin) return container.vsoaPort;
  const taken = new Set<number | null>();
  for (const other of world.containers.onNode(container.nodeId).values()) taken.add(other.vsoaPort);
  let port = vsoaPortMin;
  while (taken.has(port)) port++;
  return port;
}

/** Returns why a container cannot start, or undefined if it can. */
function problemOf(world: World, container: Container, service: Service, node: Node): string | undefined {
  const planned = takePlannedFailure(world, service.name);
  if (planned !== undefined) return planned;
  if (isNodeOccupied(world, service, container)) return '可用节点不足: 同一节点不能运行该服务的多个实例';
  const image = world.localImage(container.imageRef);
  if (image === undefined) return refusals.imageNotFound.text;
  if (image.os !== node.type) return refusals.imageUnsuited.text;
  if (!Object.hasOwn(node.images, image.id)) return `节点上没有镜像: ${container.imageRef}`;
  const shortage = shortageOfStarting(world, service.image, node, container);
  return shortage === undefined ? undefined : `${refusals[shortage.why].text}: ${shortage.detail}`;
}

function takePlannedFailure(world: World, serviceName: string): string | undefined {
  const planned = world.plannedFailures.find((one) => one.service === null || one.service === serviceName);
  if (planned === undefined) return undefined;
  planned.left--;
  if (planned.left <= 0) world.plannedFailures = world.plannedFailures.filter((one) => one !== planned);
  return planned.message === '' ? defaultFailure : planned.message;
}

function succeed(world: World, container: Container): void {
  container.deployStatus = 'success';
  container.imageId = world.localImage(container.imageRef)?.id ?? null;
  container.createdMs = world.nowMs;
  invalidateTotals(world, container.nodeId);
  if (container.wanted === 'running') run(world, container);
  world.log.write('info', 'container deployed', { container: container.name, image: container.imageRef });
  continueRollout(world, container);
}

function fail(world: World, container: Container, message: string): void {
  container.deployStatus = 'failure';
  container.failedMessage = message;
  world.log.write('warn', 'deployment failed', { container: container.name, reason: message });
  continueRollout(world, container);
}

function continueRollout(world: World, container: Container): void {
  if (world.services.get(container.serviceId)?.rolling === container.taskId) {
    world.schedule('rolled', container.serviceId, 0);
  }
}

/** The container of an event with its service and node; undefined if the event is obsolete. */
function pendingDeployment(world: World, { subject, step }: ScheduledEvent) {
  const container = world.containers.get(subject);
  if (container?.step !== step || container.deployStatus !== 'deploying') return undefined;
  const service = world.services.get(container.serviceId);
  const node = world.nodes.get(container.nodeId);
  return service === undefined || node === undefined ? undefined : { container, service, node };
}

export const deploymentEvents = {
  pulled(world: World, event: ScheduledEvent): void {
    const { container, node } = pendingDeployment(world, event) ?? {};
    if (container === undefined || node === undefined) return;
    const image = world.localImage(container.imageRef);
    if (image === undefined) fail(world, container, refusals.imageNotFound.text);
    else if (!store(world, node, image))
      fail(world, container, `${refusals.nodeDisk.text}: 需要 ${image.sizeBytes} 字节`);
    else world.schedule('started', container.taskId, startDelayMs(world), container.step);
  },
  started(world: World, event: ScheduledEvent): void {
    const { container, service, node } = pendingDeployment(world, event) ?? {};
    if (container === undefined || service === undefined || node === undefined) return;
    const problem = problemOf(world, container, service, node);
    if (problem === undefined) succeed(world, container);
    else fail(world, container, problem);
  },
  gaveUp(world: World, event: ScheduledEvent): void {
    const { container } = pendingDeployment(world, event) ?? {};
    if (container === undefined) return;
    if (!isNodeOnline(world, container)) fail(world, container, refusals.nodeOffline.text);
    else if (world.localImage(container.imageRef) === undefined) {
      fail(world, container, refusals.imageNotFound.text);
    } else startDeployment(world, container);
  },
  prepulled(world: World, { subject }: ScheduledEvent): void {
    const [nodeId = '', imageId = ''] = subject.split(' ');
    const node = world.nodes.get(nodeId);
    const image = world.images.get(imageId);
    if (node === undefined || image === undefined || !node.online) return;
    if (!store(world, node, image))
      world.log.write('warn', 'image pull failed: not enough disk space', { node: node.name });
  },
} as const;

/** Stores the image on the node, replacing older content. Returns false if the disk is full. */
function store(world: World, node: Node, image: Image): boolean {
  const isPresent = Object.hasOwn(node.images, image.id);
  if (!isPresent && freeDiskOf(world, node) < image.sizeBytes) return false;
  node.images[image.id] = image.digest;
  return true;
}
