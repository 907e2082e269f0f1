/**
 * A new image for all services over a slow link, on a virtual clock: the time, the calls, and how often the platform was
 * declared unreachable. The link is that of the simulator, so the figures are those of real time without the time of the
 * processor, and the same in every run.
 */
import { ECSMService, type ECSMServiceInput, Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type JournalEntry, type LinkSettings, Simulator } from '@ecsm/simulator';
import { service } from './fleet.ts';

export interface SlowLink {
  readonly services: number;
  readonly replicas: number;
  readonly link: Partial<LinkSettings>;
  /** The link is cut for this time from the moment when the images change. Default 0. */
  readonly partitionMs?: number;
  readonly seed?: number;
}

export interface Rollout {
  /** From the change, or from the end of the partition, until all services are settled. */
  readonly ms: number;
  /** Without those during the partition. */
  readonly calls: number;
  readonly callsWhilePartitioned: number;
  /** How often the platform was declared unreachable, except during the partition. */
  readonly openings: number;
  /** The largest number of calls for one service of which each started after the one before was answered. */
  readonly longestChain: number;
}

const hourMs = 3_600_000;
const newImage = { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } };

/** With the default settings of the operator. */
export async function rollOut({ services, replicas, link, partitionMs = 0, seed = 1 }: SlowLink): Promise<Rollout> {
  const clock = new VirtualClock();
  const simulator = new Simulator({ clock, random: new SeededRandom(seed), nodes: 3, behaviour: 'instant' });
  const { platform, journal } = simulator;
  const registry = new EmbeddedRegistry({
    store: new MemoryStore(),
    kinds: operatorKinds,
    clock,
    random: new SeededRandom(seed, 2),
  });
  const transport = simulator.transport();
  const operator = new Operator({ registry, transport, clock, random: new SeededRandom(seed, 3) });
  const ending = new AbortController();
  const running = operator.run({ signal: ending.signal });
  const objects = registry.resource(ECSMService);
  const names = Array.from({ length: services }, (_, number) => `service-${number}`);
  for (const number of names.keys()) await objects.create(rolling(number, replicas));
  await clock.until(() => operator.settled(), hourMs);

  const before = journal.last;
  const oldIds = new Map(names.map((name) => [name, platform.serviceNamed(name)?.id ?? '']));
  let openings = 0;
  operator.breaker.onChange((state) => {
    if (state === 'unreachable') openings++;
  });
  simulator.link.set(partitionMs > 0 ? { ...link, lossPercent: 100 } : link);
  for (const name of names) await objects.patch(name, newImage);
  await clock.advance(partitionMs);
  if (partitionMs > 0) openings = 0;
  simulator.link.set({ lossPercent: 0, ...link });
  const [healed, healedMs] = [journal.last, clock.monotonicMs()];
  await clock.until(() => operator.settled(), hourMs);
  const ms = clock.monotonicMs() - healedMs;
  const entries = journal.entries(healed);
  ending.abort();
  await clock.run(running);
  const roundTripMs = link.latencyMs ?? 0;
  const chains = names.map((name) => chainOf(entries, [name, oldIds.get(name) ?? ''], roundTripMs));
  return {
    ms,
    calls: entries.length,
    callsWhilePartitioned: healed - before,
    openings,
    longestChain: Math.max(...chains),
  };
}

function rolling(number: number, replicas: number): ECSMServiceInput {
  const { metadata, spec } = service(number);
  const deploymentStrategy = { ...spec.deploymentStrategy, replicas };
  return { metadata, spec: { ...spec, deploymentStrategy, updateStrategy: { type: 'RollingUpdate' } } };
}

/** Calls for a service: those with its name or its first id, and those with an id that the platform gave to its name. */
function chainOf(entries: readonly JournalEntry[], keys: readonly string[], roundTripMs: number): number {
  const words = new RegExp(`(?:${keys.join('|')})(?![0-9])`);
  const ids = entries.flatMap(({ method, request, answer }) =>
    method === 'POST' && words.test(request) ? (/"id":"([^"]+)"/.exec(answer)?.[1] ?? []) : [],
  );
  const isOwn = ({ target, request }: JournalEntry) =>
    words.test(target) || words.test(request) || ids.some((id) => target.includes(id) || request.includes(id));
  let length = 0;
  let endMs = Number.NEGATIVE_INFINITY;
  // A journal is in the order in which the platform received the calls.
  for (const { timeMs } of entries.filter(isOwn).sort((one, other) => one.timeMs - other.timeMs)) {
    if (timeMs < endMs) continue;
    endMs = timeMs + roundTripMs;
    length++;
  }
  return length;
}
