/** With `outOfMemory: "refuse"`, rejects a call whose containers do not fit on their nodes, before anything changes. */
import { type AddedContainer, needsOf, type PendingChange, shortageOn } from './capacity.ts';
import type { Container, Node, Service, ServiceSpec } from './model.ts';
import { placeInstance } from './placement.ts';
import { Refusal } from './refusal.ts';
import { splitSurplus } from './scale.ts';
import type { World } from './world.ts';

/** The service that is updated, and whether the update redeploys its containers. */
interface Updated {
  readonly service: Service;
  readonly isRedeployed: boolean;
}

/** Throws a `Refusal`. An offline node cannot be asked, and the retry of a failed deployment is not a reason. */
export function checkRoom(world: World, spec: ServiceSpec, updated?: Updated): void {
  if (world.behaviour.outOfMemory !== 'refuse') return;
  const service = { ...spec, id: updated?.service.id ?? '' };
  const { staying } = splitSurplus(world, service);
  const redeployed = updated?.isRedeployed === true ? staying : [];
  const removed = removedBy(world, service.id, staying, redeployed);
  const added: AddedContainer[] = [];
  const change: PendingChange = { removed, added };
  const add = (node: Node | undefined) => {
    if (node === undefined) return;
    const shortage = node.online ? shortageOn(world, spec.image, node, change) : undefined;
    if (shortage !== undefined) throw new Refusal(shortage.why, `${node.name}: ${shortage.detail}`);
    added.push({ nodeId: node.id, ...needsOf(world, spec.image, node) });
  };
  for (const { nodeId } of redeployed) add(world.nodes.get(nodeId));
  if (spec.policy === 'static') {
    const occupied = new Set(staying.map(({ nodeId }) => nodeId));
    const nodes = spec.nodeNames.map((name) => world.nodesByName.get(name));
    for (const node of nodes) if (node !== undefined && !occupied.has(node.id)) add(node);
    return;
  }
  for (let count = staying.length; count < spec.factor; count++) add(placeInstance(world, service, change));
}

function removedBy(
  world: World,
  serviceId: string,
  staying: readonly Container[],
  redeployed: readonly Container[],
): ReadonlySet<Container> {
  const removed = new Set(world.containers.ofService(serviceId).values());
  for (const container of staying) removed.delete(container);
  for (const container of redeployed) removed.add(container);
  return removed;
}
