/** The numbers behind an answer, in words that a person can check. */
import type { InstanceLimits } from '../../fleet/fleet-service.ts';
import type { Placement, PlacementService } from './model.ts';
import type { Room } from './room.ts';
import type { State } from './state.ts';

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
/** Nodes that are listed by name. */
const nodesMax = 5;

/** `needs 512Mi on one of sat-1, sat-2: free 128Mi, 64Mi` */
export function needText({ limits, nodeNames }: PlacementService, nodes: readonly number[], room: Room): string {
  if (nodes.length === 0) return `none of its nodes is online: ${listed(nodeNames)}`;
  const names = nodes.map((node) => room.names[node] ?? '');
  const free = nodes.map((node) =>
    amounts(limits, { memoryBytes: room.freeMemory(node), diskBytes: room.freeDisk(node) }, Math.floor),
  );
  const where = names.length === 1 ? `on ${names[0]}` : `on one of ${listed(names)}`;
  return `needs ${amounts(limits, limits, Math.ceil)} ${where}: free ${listed(free)}`;
}

/** What a service needs, or what has to be deleted first, and how many instances fit. Empty if all fit. */
export function shortageOf(state: State): Pick<Placement, 'unschedulable' | 'waiting'> {
  const { service, failure, isSurgeMissing, awaited, later, movingLater } = state;
  const { desired } = service;
  if (isSurgeMissing) return { unschedulable: `${failure}; the update cannot proceed without one more instance` };
  if (failure === undefined && later + movingLater === 0) return {};
  const fit = Math.min(state.count + state.granted + state.grantedNodes.size - state.homeless - movingLater, desired);
  const fits = `${Math.max(fit, 0)} of ${desired} instances fit`;
  if (failure !== undefined) return { unschedulable: `${failure}; ${fits}` };
  const others = [...awaited].map(([name, replicas]) => `${replicas} of ${name}`);
  return { waiting: `waits for the deletion of ${others.length === 0 ? 'other instances' : listed(others)}; ${fits}` };
}

/** Only the resources that are limited. */
function amounts(limits: InstanceLimits, amount: InstanceLimits, round: (value: number) => number): string {
  const texts = [
    limits.memoryBytes === undefined ? undefined : bytesText(amount.memoryBytes ?? 0, round),
    limits.diskBytes === undefined ? undefined : `${bytesText(amount.diskBytes ?? 0, round)} disk`,
  ];
  return texts.filter((text) => text !== undefined).join(' and ');
}

/** Whole mebibytes, or gibibytes if there is no remainder. Below 0 there is no room. */
function bytesText(bytes: number, round: (value: number) => number = Math.floor): string {
  if (bytes === Number.POSITIVE_INFINITY) return 'unknown';
  if (bytes <= 0) return '0';
  if (bytes % gibibyte === 0) return `${bytes / gibibyte}Gi`;
  return bytes < mebibyte ? `${round(bytes / 1024)}Ki` : `${round(bytes / mebibyte)}Mi`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - nodesMax;
  return more > 0 ? `${texts.slice(0, nodesMax).join(', ')} and ${more} more` : texts.join(', ');
}
