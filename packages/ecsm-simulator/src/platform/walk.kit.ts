/** A random walk: actions of users and faults of a platform, one after the other, from a seed. */
import { SeededRandom } from '@ecsm/runtime/simulation';
import type { Behaviour } from './behaviour.ts';
import { behaviourChoices, profiles } from './behaviour.ts';
import type { Platform } from './contract.ts';
import type { ContainerAction, ServiceSpec } from './model.ts';
import { spec } from './platform.kit.ts';
import { Refusal } from './refusal.ts';

const nodeNames = ['n1', 'n2', 'n3', 'l1', 'other'];
const serviceNames = ['a', 'b', 'c', 'd'];
const refs = {
  sylixos: ['worker@1.0.0#sylixos', 'worker@1.1.0#sylixos', 'worker@latest#sylixos', 'worker@1.0.0'],
  linux: ['gateway@1.0.0#linux'],
};
const actions: readonly ContainerAction[] = ['start', 'stop', 'restart', 'pause', 'unpause'];

/** Any combination of the engine's switches. */
export function randomBehaviour(random: SeededRandom): Partial<Behaviour> {
  const behaviour: Record<string, string | number> = {};
  for (const [name, words] of Object.entries(behaviourChoices)) behaviour[name] = random.pick(words);
  behaviour['migrationDelayMs'] = random.pick([0, 1_000, 30_000]);
  behaviour['stopMs'] = random.pick([0, 200]);
  behaviour['startMs'] = random.pick([0, 800]);
  return { ...profiles.likely, ...behaviour };
}

export class Walk {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed, 7);
  }

  /** Delay between actions: mostly short, sometimes minutes. */
  pauseMs(): number {
    return this.#random.pick([0, 0, 1, 100, 500, 1_000, 5_000, 60_000]);
  }

  /** One thing, whether the platform likes it or not; returns what it was. */
  step(platform: Platform): string {
    const moves = this.#moves(platform);
    const name = this.#random.pick(Object.keys(moves));
    try {
      moves[name]?.();
      return name;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return `${name}: ${error.why}`;
    }
  }

  #moves(platform: Platform): Record<string, () => unknown> {
    const random = this.#random;
    const pick = <T>(choices: readonly T[]): T | undefined => (choices.length === 0 ? undefined : random.pick(choices));
    const service = pick(platform.services());
    const container = service && pick(platform.containersOfService(service.id));
    const node = random.pick(platform.nodes());
    const serviceId = service?.id ?? 'none';
    const taskId = container?.taskId ?? 'none';
    return {
      create: () => platform.createService(this.#spec(platform)),
      update: () => service && platform.updateService(serviceId, this.#spec(platform, service.name)),
      updateOrRename: () => service && platform.updateService(serviceId, this.#spec(platform)),
      image: () => service && platform.updateService(serviceId, { ...service, image: this.#spec(platform).image }),
      scale: () => service && platform.updateService(serviceId, { ...service, factor: random.integer(0, 5) }),
      delete: () => random.chance(0.2) && platform.deleteService(serviceId),
      redeploy: () => platform.redeployService(serviceId),
      rollback: () => platform.rollbackService(serviceId, pick(platform.recordsOf(serviceId))?.id ?? 'none'),
      control: () => platform.controlService(serviceId, random.pick(actions)),
      controlOne: () => platform.controlContainer(container?.name ?? 'none', random.pick(actions)),
      kill: () => platform.killContainer(taskId),
      crashLoop: () => platform.setCrashLoop(taskId, random.pick([null, 0, 3_000])),
      health: () => platform.setContainerHealth(taskId, random.chance(0.5)),
      failDeployments: () =>
        random.chance(0.2) && platform.failDeployments({ service: random.pick(serviceNames), count: 1 }),
      cut: () => random.chance(0.5) && platform.cutNode(node.id),
      restore: () => platform.restoreNode(node.id),
      restoreAgain: () => platform.restoreNode(random.pick(platform.nodes()).id),
      fill: () => platform.fillNode(node.id, { memoryBytes: random.chance(0.1) ? node.memoryTotalBytes : 0 }),
      push: () =>
        platform.pushImage({
          name: 'worker',
          tag: random.pick(['1.0.0', '1.1.0', '1.2.0']),
          os: 'sylixos',
          sizeBytes: 5_000_000,
        }),
      load: () =>
        platform.setLoad(serviceId, { memoryBytes: random.integer(0, 1e9), cpuPercent: random.integer(0, 90) }),
      demand: () =>
        platform.setLoad(serviceId, {
          cpuPercentTotal: random.integer(0, 400),
          memoryBytesTotal: random.integer(0, 1e9),
          wavePeriodMs: random.pick([0, 60_000]),
          wavePercent: 50,
        }),
      rename: () => random.chance(0.2) && platform.updateNode(node.id, { ...node, name: random.pick(nodeNames) }),
      balance: () =>
        platform.setLoadBalance(serviceId, { mode: 'masterSlave', detail: [{ id: taskId, master: true }] }),
    };
  }

  /** Nearly always one that can be. */
  #spec(platform: Platform, name = this.#random.pick(serviceNames)): ServiceSpec {
    const random = this.#random;
    const type = random.chance(0.8) ? 'sylixos' : 'linux';
    const suited = platform.nodes().flatMap((node) => (node.type === type ? [node.name] : []));
    const chosen = suited.filter(() => random.chance(0.6));
    return spec({
      name,
      nodeNames: random.chance(0.02) ? ['nowhere'] : chosen.length > 0 ? chosen : suited,
      factor: random.integer(random.chance(0.1) ? 0 : 1, 4),
      policy: random.pick(['dynamic', 'dynamic', 'static']),
      prepull: random.chance(0.2),
      image: {
        ref: random.chance(0.02) ? 'no@1#linux' : random.pick(refs[type]),
        action: random.chance(0.9) ? 'run' : 'load',
        pullPolicy: random.pick(['Always', 'IfNotPresent', 'IfNotPresent', 'Never']),
        autoUpgrade: random.pick(['Never', 'Never', 'Larger', 'Always']),
        vsoa: { port: 0, healthPath: '/health', livenessProbe: random.chance(0.5), healthInterval: 1_000 },
      },
    });
  }
}
