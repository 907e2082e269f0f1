/** Oracles that hold at the end, long after the last edit and the last fault. */
import { type Simulation, stable } from '@ecsm/runtime/simulation';
import type { ECSMService } from '../../src/apis/ecsm-service.ts';
import { parseQuantity } from '../../src/apis/quantity.ts';
import { replicasWanted } from '../../src/apis/service-columns.ts';
import type { Story } from './stories.kit.ts';
import { observeMs, ownedServices, stored, type World } from './world.kit.ts';

interface RestOptions {
  readonly story: Story;
  /** The last part of the run, without edits and faults. */
  readonly quietMs: number;
  /** Whether the operator is restarted at the start of that part, and reads everything again. */
  readonly isRestarted: boolean;
}

export function watchRest(simulation: Simulation, world: World, options: RestOptions): void {
  const { story, quietMs, isRestarted } = options;
  simulation.eventually('platform and status match the spec', () => {
    for (const object of stored(simulation)) {
      const problem = problemOf(world, object, story);
      if (problem !== undefined) return `${object.metadata.name}: ${problem}`;
    }
    return undefined;
  });

  simulation.eventually('no orphans are left', () => {
    const alive = new Set(stored(simulation).map(({ metadata }) => metadata.uid));
    const orphan = ownedServices(world).find(({ mark }) => !alive.has(mark.uid));
    return orphan && `${orphan.service.name} has no owner`;
  });

  simulation.eventually('at rest nothing is written', stable({ quietMs }));
  if (!isRestarted) simulation.eventually('at rest there are only polls', () => tooManyCalls(simulation, world));

  function tooManyCalls({ journal, endMs }: Simulation, { simulator: { platform } }: World) {
    const calls = new Map<string, number>();
    for (const { process, name, sentMs } of journal.effects) {
      if (process !== 'operator' || sentMs <= endMs - quietMs || !/^[A-Z]+ /u.test(name)) continue;
      const endpoint = name.replace(/^GET \/service\/(?!summary$)[^/]+$/u, 'GET /service/:id');
      calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1);
    }
    // The first and the last poll may be inside or outside. Before that the interval may be a quarter and a half of the
    // longest, and one poll may be early, after a summary.
    const polls = { min: Math.floor(quietMs / observeMs) - 1, max: Math.ceil(quietMs / (observeMs * 0.98)) + 3 };
    const summaries = Math.ceil((quietMs / observeMs) * 4) + polls.max;
    const { pageSizeMax } = platform.behaviour;
    const pages = (rows: number) => (pageSizeMax === 0 ? 1 : Math.max(1, Math.ceil(rows / pageSizeMax)));
    const owned = ownedServices(world);
    const containerPages = pages(owned.flatMap(({ containers }) => containers).length);
    // A change that only a sweep detects, such as the number of restarts, causes one read of a service.
    const allowed = new Map([
      ['GET /service', { min: polls.min, max: polls.max * pages(platform.services().length) }],
      ['GET /node', { min: polls.min, max: polls.max * pages(platform.nodes().length) }],
      ['GET /service/summary', { min: 0, max: summaries }],
      ['GET /container/service', { min: 0, max: (polls.max + owned.length) * containerPages }],
      ['GET /service/:id', { min: 0, max: owned.length }],
    ]);
    for (const [name, count] of calls) if (!allowed.has(name)) return `${name} was called ${count} times`;
    for (const [name, { min, max }] of allowed) {
      const count = calls.get(name) ?? 0;
      if (count < min || count > max) return `${name} was called ${count} times, not ${min} to ${max}`;
    }
    return undefined;
  }
}

function problemOf(world: World, object: ECSMService, story: Story): string | undefined {
  const { metadata, spec, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'it is still being deleted';
  if (story.foreign?.includes(metadata.name)) {
    const available = status?.conditions.find(({ type }) => type === 'Available');
    return available?.status === 'False'
      ? undefined
      : `a foreign service has its name, and Available is ${available?.status}`;
  }
  const owned = ownedServices(world).filter(({ mark }) => mark.uid === metadata.uid);
  const wanted = replicasWanted(object);
  if (owned.length > 1) return `it has ${owned.map(({ service }) => service.name).join(' and ')}`;
  const [only] = owned;
  if (!only) return wanted === 0 ? statusProblemOf(object, wanted) : 'it does not exist';
  const { service, containers } = only;
  const ref = spec.template.image;
  if (service.image.ref !== ref) return `its image is ${service.image.ref}, not ${ref}`;
  const nodes = spec.deploymentStrategy.nodes ?? spec.deploymentStrategy.nodePool ?? [];
  if ([...service.nodeNames].sort().join() !== [...nodes].sort().join()) return `its nodes are ${service.nodeNames}`;
  const environment = JSON.stringify(service.image.config);
  for (const { name, value } of spec.template.env ?? []) {
    if (!environment.includes(`"${name}=${value}"`)) return `${name} is not ${value}`;
  }
  const memory = spec.template.resources?.limits?.memory;
  const limitBytes = memory === undefined ? undefined : parseQuantity(memory);
  const other = containers.find(({ memoryLimitBytes }) => limitBytes !== undefined && memoryLimitBytes !== limitBytes);
  if (other) return `an instance may use ${other.memoryLimitBytes} bytes`;
  const running = containers.filter((container) => world.simulator.platform.statusOf(container) === 'running').length;
  if (running !== wanted || containers.length !== wanted)
    return `${running} of ${containers.length} run, not ${wanted}`;
  return statusProblemOf(object, wanted);
}

function statusProblemOf({ metadata, status }: ECSMService, wanted: number): string | undefined {
  if (status === undefined) return 'it has no status';
  if (status.observedGeneration !== metadata.generation)
    return `its status is of generation ${status.observedGeneration}`;
  if (status.readyReplicas !== wanted) return `its status has ${status.readyReplicas} ready, not ${wanted}`;
  if (status.replicas !== wanted || status.updatedReplicas !== wanted || status.unavailableReplicas !== 0) {
    return `its status is ${JSON.stringify(status)}`;
  }
  const condition = (type: string) => status.conditions.find((one) => one.type === type);
  const [available, progressing, degraded] = ['Available', 'Progressing', 'Degraded'].map(condition);
  if (available?.status !== 'True') return `Available is ${available?.status}`;
  if (progressing?.reason !== 'Complete') return `Progressing has the reason ${progressing?.reason}`;
  if (degraded?.status !== 'False') return `it is Degraded: ${degraded?.reason}`;
  return undefined;
}
