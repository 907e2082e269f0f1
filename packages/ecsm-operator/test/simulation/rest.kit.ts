/** What must hold in the end, when people and faults have been quiet for long. */
import { type Simulation, stable } from '@ecsm/runtime/simulation';
import type { ECSMService } from '../../src/apis/ecsm-service.ts';
import { parseQuantity } from '../../src/apis/quantity.ts';
import { replicasWanted } from '../../src/apis/service-columns.ts';
import { pollsPerSweep } from '../../src/observe/poller.ts';
import type { Story } from './stories.kit.ts';
import { observeMs, ownedServices, stored, type World } from './world.kit.ts';

interface RestOptions {
  readonly story: Story;
  /** The last part of the run, in which nothing happens. */
  readonly quietMs: number;
  /** Whether the operator is started again at the beginning of that part, and reads everything once more. */
  readonly isRestarted: boolean;
}

export function watchRest(simulation: Simulation, world: World, options: RestOptions): void {
  const { story, quietMs, isRestarted } = options;
  simulation.eventually('the platform has what people want, and the status says so', () => {
    for (const object of stored(simulation)) {
      const problem = wrongWith(world, object, story);
      if (problem !== undefined) return `${object.metadata.name}: ${problem}`;
    }
    return undefined;
  });

  simulation.eventually('nothing is left of what is gone', () => {
    const alive = new Set(stored(simulation).map(({ metadata }) => metadata.uid));
    const orphan = ownedServices(world).find(({ mark }) => !alive.has(mark.uid));
    return orphan && `${orphan.service.name} belongs to nobody`;
  });

  simulation.eventually('at rest nothing is written', stable({ quietMs }));
  if (!isRestarted)
    simulation.eventually('at rest nothing is called but to look', () => tooManyCalls(simulation, world));

  function tooManyCalls({ journal, endMs }: Simulation, { simulator: { platform } }: World) {
    const calls = new Map<string, number>();
    for (const { process, name, sentMs } of journal.effects) {
      if (process !== 'operator' || sentMs <= endMs - quietMs || !/^[A-Z]+ /u.test(name)) continue;
      const endpoint = name.replace(/^GET \/service\/[^/]+$/u, 'GET /service/:id');
      calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1);
    }
    // A tenth more or less by chance; and the first and the last may just be in, or just be out.
    const looks = { min: Math.floor(quietMs / (observeMs * 1.1)), max: Math.ceil(quietMs / (observeMs * 0.9)) };
    const { pageSizeMax } = platform.behaviour;
    const pages = (rows: number) => (pageSizeMax === 0 ? 1 : Math.max(1, Math.ceil(rows / pageSizeMax)));
    const owned = ownedServices(world);
    const containerPages = pages(owned.flatMap(({ containers }) => containers).length);
    const sweeps = Math.ceil(looks.max / pollsPerSweep);
    // What only a sweep shows, such as the number of restarts, is a reason to read a service once.
    const allowed = new Map([
      ['GET /service', { min: looks.min, max: looks.max * pages(platform.services().length) }],
      ['GET /node', { min: looks.min, max: looks.max * pages(platform.nodes().length) }],
      ['GET /container/service', { min: 0, max: (sweeps + owned.length) * containerPages }],
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

function wrongWith(world: World, object: ECSMService, story: Story): string | undefined {
  const { metadata, spec, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'it is still being deleted';
  if (story.foreign?.includes(metadata.name)) {
    const available = status?.conditions.find(({ type }) => type === 'Available');
    return available?.status === 'False'
      ? undefined
      : `a foreign service is in its place, and it says ${available?.status}`;
  }
  const owned = ownedServices(world).filter(({ mark }) => mark.uid === metadata.uid);
  const wanted = replicasWanted(object);
  if (owned.length > 1) return `it has ${owned.map(({ service }) => service.name).join(' and ')}`;
  const [only] = owned;
  if (!only) return wanted === 0 ? wrongStatus(object, wanted) : 'it is not there';
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
  return wrongStatus(object, wanted);
}

function wrongStatus({ metadata, status }: ECSMService, wanted: number): string | undefined {
  if (status === undefined) return 'it has no status';
  if (status.observedGeneration !== metadata.generation) return `its status is about ${status.observedGeneration}`;
  if (status.readyReplicas !== wanted) return `it says ${status.readyReplicas} ready, not ${wanted}`;
  if (status.replicas !== wanted || status.updatedReplicas !== wanted || status.unavailableReplicas !== 0) {
    return `it says ${JSON.stringify(status)}`;
  }
  const condition = (type: string) => status.conditions.find((one) => one.type === type);
  const [available, progressing, degraded] = ['Available', 'Progressing', 'Degraded'].map(condition);
  if (available?.status !== 'True') return `Available is ${available?.status}`;
  if (progressing?.reason !== 'Complete') return `Progressing says ${progressing?.reason}`;
  if (degraded?.status !== 'False') return `it says that it is degraded: ${degraded?.reason}`;
  return undefined;
}
