/** A platform on a virtual clock. */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect } from 'vitest';
import type { Behaviour, ProfileName } from './behaviour.ts';
import type { Platform } from './contract.ts';
import type { Container, ImageSpec, Node, Service, ServiceSpec, State } from './model.ts';
import { createPlatform } from './platform.ts';
import { Refusal, type RefusalName } from './refusal.ts';

export const mebibyte = 1024 * 1024;
/** Some day in 2025. */
export const startMs = 1_750_000_000_000;

export interface World {
  readonly platform: Platform;
  readonly clock: VirtualClock;
  /** Advances the time, and reads the platform. */
  readonly pass: (ms: number) => void;
  readonly node: (name: string) => Node;
  readonly service: (name: string) => Service;
  readonly containers: (serviceName: string) => readonly Container[];
  /** The only container of a service. */
  readonly only: (serviceName: string) => Container;
}

interface SetUpOptions {
  readonly behaviour?: Partial<Behaviour> | ProfileName;
  readonly seed?: number;
  /** SylixOS nodes n1, n2, …; default 3. */
  readonly nodes?: number;
  readonly state?: State;
  /** What the clock shows at first; default `startMs`. */
  readonly nowMs?: number;
}

/** Starts take 800 to 1200 ms and the images have 10 MB: a pull takes a second. */
export function setUp({ behaviour = {}, seed = 1, nodes = 3, state, nowMs = startMs }: SetUpOptions = {}): World {
  const clock = new VirtualClock(nowMs);
  const random = new SeededRandom(seed);
  if (state !== undefined) return around(createPlatform({ clock, random, behaviour, state }), clock);
  const platform = createPlatform({ clock, random, behaviour });
  for (let number = 1; number <= nodes; number++) addNode(platform, `n${number}`, number);
  for (const tag of ['1.0.0', '1.1.0', 'latest']) {
    platform.pushImage({ name: 'worker', tag, os: 'sylixos', sizeBytes: 10_000_000 });
  }
  platform.pushImage({ name: 'gateway', tag: '1.0.0', os: 'linux', sizeBytes: 10_000_000 });
  return around(platform, clock);
}

export function addNode(platform: Platform, name: string, number: number, type: Node['type'] = 'sylixos'): Node {
  return platform.addNode({ name, ip: `10.0.0.${number}`, port: 1112, password: 'secret', type });
}

function around(platform: Platform, clock: VirtualClock): World {
  const service = (name: string) => found(platform.serviceNamed(name), name);
  const containers = (name: string) => platform.containersOfService(service(name).id);
  return {
    platform,
    clock,
    pass(ms) {
      clock.advanceSync(ms);
      platform.advance();
    },
    node: (name) => found(platform.nodeNamed(name), name),
    service,
    containers,
    only(name) {
      expect(containers(name)).toHaveLength(1);
      return found(containers(name)[0], name);
    },
  };
}

export function found<T>(value: T | undefined, what = 'something'): T {
  if (value === undefined) throw new Error(`${what} is not there`);
  return value;
}

export interface SpecChange extends Partial<Omit<ServiceSpec, 'image'>> {
  readonly image?: Partial<ImageSpec>;
}

/** One instance on n1, n2 or n3; small enough to find room anywhere. */
export function spec(change: SpecChange = {}): ServiceSpec {
  const image: ImageSpec = {
    ref: 'worker@1.0.0#sylixos',
    action: 'run',
    config: { sylixos: { resources: { memory: { memoryLimitMB: 64 }, disk: { limitMB: 64 } } } },
    pullPolicy: 'IfNotPresent',
    autoUpgrade: 'Never',
    ...change.image,
  };
  return {
    name: 'worker',
    nodeNames: ['n1', 'n2', 'n3'],
    factor: 1,
    policy: 'dynamic',
    prepull: false,
    ...change,
    image,
  };
}

/** What a call was refused for. */
export function refusal(call: () => unknown): RefusalName | 'not refused' {
  try {
    call();
  } catch (error) {
    if (error instanceof Refusal) return error.why;
    throw error;
  }
  return 'not refused';
}

/** A snapshot as read from a file. */
export function asJson(state: State): unknown {
  return JSON.parse(JSON.stringify(state));
}
