/**
 * The complete product in one process on a virtual clock: the operator, its registry and a simulated platform. Faults are
 * injected into the operator's calls; users, who edit specs and change the platform manually, have none.
 */
import type { Transport } from '@ecsm/client';
import { ApiError, EmbeddedRegistry, type InputOf, silentLog } from '@ecsm/runtime';
import { type ProcessDependencies, SeededRandom, type Simulation } from '@ecsm/runtime/simulation';
import { type Behaviour, type Container, type Service, Simulator } from '@ecsm/simulator';
import { ECSMService } from '../../src/apis/ecsm-service.ts';
import { operatorKinds } from '../../src/apis/kinds.ts';
import { Operator } from '../../src/controller/operator.ts';
import { readMark } from '../../src/resource/mark.ts';
import type { Mark } from '../../src/resource/model.ts';
import { Link, type LinkSettings } from './slow-link.kit.ts';

/** Long enough to be cheap, with several polls in an hour at rest. */
export const observeMs = 600_000;

export interface World {
  readonly simulation: Simulation;
  readonly simulator: Simulator;
  readonly link: Link;
  /** Since when containers have no measurements; undefined if they have. */
  unmeasuredSinceMs: number | undefined;
  /** While true, no call reaches the platform. */
  isCut: boolean;
  /** The newest response to each request about services. */
  readonly responses: Map<string, ReturnType<Simulator['handler']>>;
  /** The maximum number of concurrent calls of one process so far. */
  inFlight: number;
  /** The platform's message for each requested creation. */
  readonly creations: string[];
  /** While defined, creations are kept here instead of being performed, and their senders get no response. */
  held: (() => void)[] | undefined;
  /** The last snapshot of the platform. It changes only by a call, by users, or when an event is due. */
  snapshot: { readonly owned: readonly Owned[]; readonly untilMs: number } | undefined;
  /** Whether users act when the operator writes to the platform, see focus.kit.ts. */
  readonly isFocused: boolean;
  /** Calls the function after every write to the platform. Returns a function that unsubscribes. */
  onWrite(listener: () => void): () => void;
  /** Called by the transport. */
  readonly written: () => void;
}

/** The allowed number of concurrent calls of a process. */
export const inFlightMax = 4;

export function buildWorld(
  simulation: Simulation,
  behaviour: Partial<Behaviour> = {},
  isFocused = false,
  link?: LinkSettings,
): World {
  const random = new SeededRandom(simulation.seed, 77);
  const simulator = new Simulator({ clock: simulation.clock, random, behaviour, nodes: 4 });
  const listeners = new Set<() => void>();
  return {
    simulation,
    simulator,
    link: new Link(simulation, link),
    unmeasuredSinceMs: undefined,
    isCut: false,
    responses: new Map(),
    inFlight: 0,
    creations: [],
    held: undefined,
    snapshot: undefined,
    isFocused,
    onWrite(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    written() {
      for (const listener of [...listeners]) listener();
    },
  };
}

/** The transport of a process to the platform: each call is one effect. */
function linkTo(world: World, doors: ProcessDependencies): Transport {
  let count = 0;
  const sendAtOnce: Transport['send'] = async (request, { meter }) => {
    const { method, target } = request;
    const [path = ''] = target.split('?');
    const apply = () => {
      if (world.isCut) throw new ApiError('Unavailable', { what: 'the platform', reason: 'the link is cut' });
      if (world.held && method === 'POST' && path === '/api/v1/service') {
        world.held.push(() => world.simulator.handler({ ...request, body: request.body ?? new Uint8Array() }));
        throw new ApiError('Unavailable', { what: 'the platform', reason: 'the response is lost' });
      }
      world.snapshot = undefined;
      const complete = world.simulator.handler({ ...request, body: request.body ?? new Uint8Array() });
      const isHidden = world.unmeasuredSinceMs !== undefined && path.startsWith('/api/v1/container');
      const response = isHidden ? { ...complete, body: withoutMeasurements(complete.body) } : complete;
      if (isVersioned(method, path)) world.responses.set(target, response);
      if (method === 'POST' && path === '/api/v1/service') world.creations.push(messageOf(response.body));
      if (method !== 'GET') world.written();
      return response;
    };
    const plain = await doors.effect(`${method} ${path.replace('/api/v1', '')}`, apply, {
      kind: method === 'GET' ? 'read' : 'write',
      link: 'platform',
      // The previous response, as from a cache.
      ...(isVersioned(method, path) && { stale: () => world.responses.get(target) ?? apply() }),
    });
    const response = world.simulator.encode({ ...request, body: request.body ?? new Uint8Array() }, plain);
    meter.bytesDown += response.body.byteLength;
    return response;
  };
  return {
    async send(request, options) {
      options.signal.throwIfAborted();
      world.inFlight = Math.max(world.inFlight, ++count);
      try {
        return await world.link.carry(request, options, doors.clock, () => sendAtOnce(request, options));
      } finally {
        count--;
      }
    },
    close() {},
  };
}

/** A response without what was measured of containers. */
function withoutMeasurements(body: Uint8Array): Uint8Array {
  const isMeasured = (name: string) => /^(?:cpuUsage|memoryUsage|sizeUsage)$/u.test(name);
  const text = JSON.stringify(JSON.parse(new TextDecoder().decode(body)), (name, value: unknown) =>
    isMeasured(name) ? null : value,
  );
  return new TextEncoder().encode(text);
}

function messageOf(body: Uint8Array): string {
  return String((JSON.parse(new TextDecoder().decode(body)) as { readonly message?: unknown }).message);
}

/** Services have a version, by which a stale response is detected. Instances do not. */
function isVersioned(method: string, path: string): boolean {
  return method === 'GET' && path.startsWith('/api/v1/service');
}

export async function operate(world: World, doors: ProcessDependencies): Promise<void> {
  const { store, clock, random, log, signal } = doors;
  // A list from before the crash lacks what was created last, and only the crashed process knew of it. Crashes after
  // writes are frequent in a focused run, so there a stale response is one that this process received before.
  if (world.isFocused) world.responses.clear();
  const registry = new EmbeddedRegistry({ store, kinds: operatorKinds, clock, random });
  const operator = new Operator({
    registry,
    transport: linkTo(world, doors),
    clock,
    random,
    // Only the log of a replay is read.
    log: process.env['SEED'] === undefined ? silentLog : log,
    settings: { observeMs, inFlightMax: inFlightMax },
  });
  world.link.restart();
  operator.breaker.onChange((state) => {
    if (state === 'unreachable') world.link.declaredUnreachable();
  });
  await operator.run({ signal });
}

/** The maximum delay before the next edit of a story that does not wait until the service is settled. */
const soonMsMax = 4_000;
/** In a focused run: the maximum number of writes before an edit, the wait for one write, and the delay after it. */
const writesMax = 7;
const writeMsMax = 4_000;
const reactionMsMax = 1_500;

/** The actions of users: on the registry, and on the platform itself. */
export class Users {
  readonly #world: World;
  readonly #doors: ProcessDependencies;

  constructor(world: World, doors: ProcessDependencies) {
    this.#world = world;
    this.#doors = doors;
  }

  get services() {
    const { store, clock, random } = this.#doors;
    return new EmbeddedRegistry({ store, kinds: operatorKinds, clock, random }).resource(ECSMService);
  }

  get platform() {
    this.#world.snapshot = undefined;
    return this.#world.simulator.platform;
  }

  get random() {
    return this.#doors.random;
  }

  async apply(service: InputOf<typeof ECSMService>): Promise<void> {
    await this.services.apply(service, { force: true });
  }

  async patch(name: string, patch: Parameters<typeof this.services.patch>[1]): Promise<void> {
    await this.services.patch(name, patch);
  }

  async wait(ms: number): Promise<void> {
    const { clock } = this.#doors;
    await new Promise<void>((resolve) => void clock.after(ms, resolve));
  }

  /** A short delay. In a focused run it ends soon after one of the operator's next writes to the platform. */
  async soon(): Promise<void> {
    if (!this.#world.isFocused) return this.wait(this.random.next() * soonMsMax);
    const writes = 1 + Math.floor(this.random.next() * writesMax);
    for (let count = 0; count < writes; count++) await this.#nextWrite();
    await this.wait(this.random.next() * reactionMsMax);
  }

  #nextWrite(): Promise<void> {
    return new Promise<void>((resolve) => {
      const end = this.#world.onWrite(() => done());
      const cancel = this.#doors.clock.after(writeMsMax, () => done());
      const done = () => {
        end();
        cancel();
        resolve();
      };
    });
  }

  cutLink(isCut: boolean): void {
    this.#world.isCut = isCut;
  }

  healLink(): void {
    this.#world.link.heal();
  }

  /** From now on the platform delays requests to create a service. */
  holdCreations(): void {
    this.#world.held = [];
  }

  /** Waits until at least one is delayed, or for a minute. */
  async untilHeld(): Promise<void> {
    for (let attempt = 0; attempt < 60 && this.#world.held?.length === 0; attempt++) await this.wait(1_000);
  }

  /** New requests are performed again. Returns a function that performs the delayed ones, long after they were sent. */
  endHold(): () => void {
    const { held = [] } = this.#world;
    this.#world.held = undefined;
    return () => {
      this.#world.snapshot = undefined;
      for (const perform of held) perform();
    };
  }

  /** Waits until the object is deleted, or for ten minutes. */
  async untilDeleted(name: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const found = await this.services.get(name).catch(() => undefined);
      if (found === undefined) return;
      await this.wait(1_000);
    }
  }

  cutNode(name: string): void {
    this.platform.cutNode(this.platform.nodeNamed(name)?.id ?? '');
  }

  restoreNode(name: string): void {
    this.platform.restoreNode(this.platform.nodeNamed(name)?.id ?? '');
  }

  /** Creates a service without an owner mark. */
  createForeign(name: string): void {
    this.platform.createService({
      name,
      image: {
        ref: 'camera@1.0.0#sylixos',
        action: 'run',
        config: { process: { args: ['/apps/camera'], env: ['MINE=1'], cwd: '/' } },
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
      },
      nodeNames: ['node-1'],
      factor: 1,
      policy: 'static',
      prepull: false,
    });
  }

  /** Changes a service manually. Does nothing if it does not exist. */
  interfere(name: string, how: 'edit' | 'stop' | 'delete'): void {
    const service = this.platform.serviceNamed(name);
    if (!service) return;
    if (how === 'delete') this.platform.deleteService(service.id);
    else if (how === 'stop') this.platform.controlService(service.id, 'stop');
    else {
      const image = { ...service.image, ref: 'camera@1.0.0#sylixos' };
      this.platform.updateService(service.id, { ...service, image, factor: 1, nodeNames: ['node-3'] });
    }
  }

  crashLoop(name: string, crashAfterMs: number | null): void {
    const service = this.platform.serviceNamed(name);
    for (const { taskId } of service ? this.platform.containersOfService(service.id) : []) {
      this.platform.setCrashLoop(taskId, crashAfterMs);
    }
  }
}

/** A service on the platform that has a mark. */
export interface Owned {
  readonly mark: Mark;
  readonly service: Service;
  readonly containers: readonly Container[];
}

/** Returns the same list until something can have changed: oracles call this after every step. */
export function ownedServices(world: World): readonly Owned[] {
  const { platform } = world.simulator;
  if (world.snapshot !== undefined && world.simulation.nowMs < world.snapshot.untilMs) return world.snapshot.owned;
  const owned = platform.services().flatMap((service) => {
    const mark = markOf(service);
    return mark === undefined ? [] : [{ mark, service, containers: platform.containersOfService(service.id) }];
  });
  world.snapshot = { owned, untilMs: platform.nextAtMs() ?? Number.POSITIVE_INFINITY };
  return owned;
}

/** The mark in the environment, read once for each image. */
function markOf({ image }: Service): Mark | undefined {
  let mark = marks.get(image);
  if (mark === undefined) {
    mark = readMark({ image }) ?? null;
    marks.set(image, mark);
  }
  return mark ?? undefined;
}

const marks = new WeakMap<object, Mark | null>();

/** The stored objects. */
export function stored({ store }: Pick<Simulation, 'store'>): readonly ECSMService[] {
  return [...store.jsonBelow('ecsm.sh/v1/ecsmservices/')].map(([, value]) => value as ECSMService);
}
