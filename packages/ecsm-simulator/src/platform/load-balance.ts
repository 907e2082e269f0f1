/** The load balancing of VSOA micro-services. */
import type { Container, LoadBalance } from './model.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

const defaultLoadBalance: LoadBalance = { mode: 'roundRobin', detail: [] };

export function loadBalanceOf(world: World, serviceId: string): LoadBalance {
  return world.loadBalance.get(serviceId) ?? defaultLoadBalance;
}

/** `detail` is required for `masterSlave` (exactly one master), and not allowed otherwise. */
export function setLoadBalance(world: World, serviceId: string, { mode, detail }: LoadBalance): void {
  const service = world.requireService(serviceId);
  const problem =
    mode === 'masterSlave'
      ? problemOf(world, service.id, detail)
      : detail.length > 0 && 'is only allowed for masterSlave';
  if (problem) throw new Refusal('badRequest', 'loadBalanceDetail', { loadBalanceDetail: problem });
  world.loadBalance.set(service.id, { mode, detail: detail.map(({ id, master }) => ({ id, master })) });
}

function problemOf(world: World, serviceId: string, detail: LoadBalance['detail']): string | undefined {
  const containers = world.containers.ofService(serviceId);
  if (detail.some(({ id }) => !containers.has(id))) return 'names a container that the service does not have';
  if (new Set(detail.map(({ id }) => id)).size < detail.length) return 'names a container twice';
  if (detail.filter(({ master }) => master).length !== 1) return 'has to name exactly one master';
  return undefined;
}

/** The replacement of a container takes over its role. */
export function transferLoadBalance(world: World, from: Container, to: Container): void {
  change(world, from.serviceId, (detail) =>
    detail.map((one) => (one.id === from.taskId ? { ...one, id: to.taskId } : one)),
  );
}

export function removeFromLoadBalance(world: World, container: Container): void {
  change(world, container.serviceId, (detail) => detail.filter(({ id }) => id !== container.taskId));
}

function change(world: World, serviceId: string, to: (detail: LoadBalance['detail']) => LoadBalance['detail']): void {
  const balance = world.loadBalance.get(serviceId);
  if (balance !== undefined) world.loadBalance.set(serviceId, { ...balance, detail: to(balance.detail) });
}
