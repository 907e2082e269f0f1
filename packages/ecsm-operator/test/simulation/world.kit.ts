/**
 * The whole product in one process on a virtual clock: the operator, its registry and a simulated platform. The operator
 * suffers faults on its way to both; people, who edit specs and meddle with the platform, do not.
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

/** Long enough to be frugal, and so that an hour at rest is some looks. */
export const observeMs = 600_000;

export interface World {
  readonly simulation: Simulation;
  readonly simulator: Simulator;
  /** While true, no call reaches the platform. */
  isCut: boolean;
  /** The newest answer to each question about services. */
  readonly answers: Map<string, ReturnType<Simulator['handler']>>;
  /** The most calls of one process that were under way together. */
  callsAtOnce: number;
  /** What the platform said to each creation that was asked for. */
  readonly creations: string[];
  /** While defined, creations are kept here instead of being carried out, and their senders get no answer. */
  held: (() => void)[] | undefined;
  /** What was last seen of the platform. Nothing changes there but by a call, by people, or when something is due. */
  sight: { readonly owned: readonly Owned[]; readonly untilMs: number } | undefined;
  /** Whether people act when the operator writes to the platform, see focus.kit.ts. */
  readonly isFocused: boolean;
  /** Calls the function after every write to the platform; the answer ends that. */
  onWrite(listener: () => void): () => void;
  /** Called by the link. */
  readonly written: () => void;
}

/** What a process may have under way together. */
export const callsAtOnceMax = 4;

export function buildWorld(simulation: Simulation, behaviour: Partial<Behaviour> = {}, isFocused = false): World {
  const random = new SeededRandom(simulation.seed, 77);
  const simulator = new Simulator({ clock: simulation.clock, random, behaviour, nodes: 4 });
  const listeners = new Set<() => void>();
  return {
    simulation,
    simulator,
    isCut: false,
    answers: new Map(),
    callsAtOnce: 0,
    creations: [],
    held: undefined,
    sight: undefined,
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

/** The road to the platform, as a process sees it: each call is one effect. */
export function linkTo(world: World, doors: ProcessDependencies): Transport {
  let underWay = 0;
  return {
    async send(request, { signal, meter }) {
      signal.throwIfAborted();
      world.callsAtOnce = Math.max(world.callsAtOnce, ++underWay);
      const { method, target } = request;
      const [path = ''] = target.split('?');
      const apply = () => {
        if (world.isCut) throw new ApiError('Unavailable', { what: 'the platform', reason: 'the link is cut' });
        if (world.held && method === 'POST' && path === '/api/v1/service') {
          world.held.push(() => world.simulator.handler({ ...request, body: request.body ?? new Uint8Array() }));
          throw new ApiError('Unavailable', { what: 'the platform', reason: 'the answer is lost' });
        }
        world.sight = undefined;
        const answer = world.simulator.handler({ ...request, body: request.body ?? new Uint8Array() });
        if (isVersioned(method, path)) world.answers.set(target, answer);
        if (method === 'POST' && path === '/api/v1/service') world.creations.push(messageOf(answer.body));
        if (method !== 'GET') world.written();
        return answer;
      };
      const answer = await doors
        .effect(`${method} ${path.replace('/api/v1', '')}`, apply, {
          kind: method === 'GET' ? 'read' : 'write',
          link: 'platform',
          // What was answered last time, as a cache on the way would.
          ...(isVersioned(method, path) && { stale: () => world.answers.get(target) ?? apply() }),
        })
        .finally(() => underWay--);
      meter.bytesDown += answer.body.byteLength;
      return answer;
    },
    close() {},
  };
}

function messageOf(body: Uint8Array): string {
  return String((JSON.parse(new TextDecoder().decode(body)) as { readonly message?: unknown }).message);
}

/** Services carry a version, by which an old picture of them is told from a new one. Instances do not. */
function isVersioned(method: string, path: string): boolean {
  return method === 'GET' && path.startsWith('/api/v1/service');
}

export async function operate(world: World, doors: ProcessDependencies): Promise<void> {
  const { store, clock, random, log, signal } = doors;
  // A list from before the crash does not show what was created last, and only the crashed process knew of it. Crashes
  // after writes are the rule in a focused run, so there an old answer is one that this process got before.
  if (world.isFocused) world.answers.clear();
  const registry = new EmbeddedRegistry({ store, kinds: operatorKinds, clock, random });
  const operator = new Operator({
    registry,
    transport: linkTo(world, doors),
    clock,
    random,
    // Thousands of runs write nothing that anybody reads; a replay does.
    log: process.env['SEED'] === undefined ? silentLog : log,
    settings: { observeMs, inFlightMax: callsAtOnceMax },
  });
  await operator.run({ signal });
}

/** The longest time that people wait before the next edit of a story that does not want the service to settle. */
const soonMsMax = 4_000;
/** In a focused run: the most writes that they let pass, how long they wait for one, and how soon they act after it. */
const writesMax = 7;
const writeMsMax = 4_000;
const reactionMsMax = 1_500;

/** What people have at hand: the registry, and the platform itself. */
export class People {
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
    this.#world.sight = undefined;
    return this.#world.simulator.platform;
  }

  get random() {
    return this.#doors.random;
  }

  async apply(service: InputOf<typeof ECSMService>): Promise<void> {
    await this.services.apply(service);
  }

  async patch(name: string, patch: Parameters<typeof this.services.patch>[1]): Promise<void> {
    await this.services.patch(name, patch);
  }

  async wait(ms: number): Promise<void> {
    const { clock } = this.#doors;
    await new Promise<void>((resolve) => void clock.after(ms, resolve));
  }

  /** A short while. In a focused run it ends soon after one of the operator's next writes to the platform. */
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

  /** From now on the platform sits on requests to create a service. */
  holdCreations(): void {
    this.#world.held = [];
  }

  /** Until it has at least one, or for a minute. */
  async untilHeld(): Promise<void> {
    for (let attempt = 0; attempt < 60 && this.#world.held?.length === 0; attempt++) await this.wait(1_000);
  }

  /** New requests are carried out again. The answer carries out those that were held, long after they were sent. */
  endHold(): () => void {
    const { held = [] } = this.#world;
    this.#world.held = undefined;
    return () => {
      this.#world.sight = undefined;
      for (const sendStep of held) sendStep();
    };
  }

  /** Until the object is gone, or for ten minutes. */
  async untilGone(name: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const there = await this.services.get(name).catch(() => undefined);
      if (there === undefined) return;
      await this.wait(1_000);
    }
  }

  cutNode(name: string): void {
    this.platform.cutNode(this.platform.nodeNamed(name)?.id ?? '');
  }

  restoreNode(name: string): void {
    this.platform.restoreNode(this.platform.nodeNamed(name)?.id ?? '');
  }

  /** Somebody deploys a service without us. */
  makeForeign(name: string): void {
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

  /** A careless human at the platform. Does nothing where there is no such service (yet). */
  meddle(name: string, how: 'edit' | 'stop' | 'delete'): void {
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

/** The same list as long as nothing can have changed: oracles ask after every step. */
export function ownedServices(world: World): readonly Owned[] {
  const { platform } = world.simulator;
  if (world.sight !== undefined && world.simulation.nowMs < world.sight.untilMs) return world.sight.owned;
  const owned = platform.services().flatMap((service) => {
    const mark = markOf(service);
    return mark === undefined ? [] : [{ mark, service, containers: platform.containersOfService(service.id) }];
  });
  world.sight = { owned, untilMs: platform.nextAtMs() ?? Number.POSITIVE_INFINITY };
  return owned;
}

/** As the platform keeps it, in the environment. It is read once. */
function markOf({ image }: Service): Mark | undefined {
  let mark = marks.get(image);
  if (mark === undefined) {
    mark = readMark({ image }) ?? null;
    marks.set(image, mark);
  }
  return mark ?? undefined;
}

const marks = new WeakMap<object, Mark | null>();

/** Objects as they are stored now. */
export function stored({ store }: Pick<Simulation, 'store'>): readonly ECSMService[] {
  return [...store.jsonBelow('ecsm.sh/v1/ecsmservices/')].map(([, value]) => value as ECSMService);
}
