/**
 * A sample program for the simulation: an operator that keeps as many parts in a workshop as a widget's size says, and
 * a janitor for parts that arrived late. The workshop is the external system; users edit widgets meanwhile.
 *
 * `defects` are small mistakes that can be switched on; without any the program is right.
 */
import { Widget } from '@ecsm/runtime/testing';
import { ApiError, isApiError } from '../../src/api/errors.ts';
import type { ObjectOf } from '../../src/api/kind.ts';
import { type Decision, operate, type Pass, type PlannedStep, refused, unknown } from '../../src/controller/operate.ts';
import { generationChanged } from '../../src/controller/predicate.ts';
import { Informers } from '../../src/informer/informers.ts';
import { sleep } from '../../src/ports/clock.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import type { ProcessDependencies } from '../../src/simulation/incarnation.ts';
import { stable } from '../../src/simulation/oracle.ts';
import { unreliableStoreFaults } from '../../src/simulation/random-faults.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';
import type { Simulation } from '../../src/simulation/simulation.ts';

export interface Defects {
  /** Part names from chance instead of from what they are for: a lost answer makes one too many. */
  readonly generatedNames?: boolean;
  /** The finalizer goes first, the clean-up comes after. */
  readonly finalizerRemovedFirst?: boolean;
  /** The finalizer is asked for when there are parts, and not before. */
  readonly finalizerAddedLate?: boolean;
  /** Parts are made while the program observes, before the intent is stored. */
  readonly actsWhileObserving?: boolean;
  /** The size is that of the first event, not of the newest object. */
  readonly eventTrusted?: boolean;
  /** The status is written with the spec that was read, without later edits of users. */
  readonly statusUndoesSpec?: boolean;
  /** A step that failed counts as done. */
  readonly failureSwallowed?: boolean;
  /** A part of the same name counts as its own, whichever owner it was made for. */
  readonly leftoverTakenForOwn?: boolean;
  /** Too many parts are left as they are. */
  readonly surplusKept?: boolean;
  /** Nobody looks for parts that arrive after their widget is gone. */
  readonly noJanitor?: boolean;
  /** The workshop is looked at only when a widget changes. */
  readonly neverLooks?: boolean;
  /** Nothing is ever compared with a list: a lost event stays lost. */
  readonly neverResyncs?: boolean;
  /** A list that failed counts as an empty one. */
  readonly unreachableIsEmpty?: boolean;
}

interface Options extends Defects {
  /** Every change of a widget causes a pass, which always looks: what is lost between two changes shows. */
  readonly isEager?: boolean;
}

const faultsUntilMs = 8_000;
const endMs = 110_000;
const quietMs = 35_000;
const resyncMs = 40_000;
const janitorMs = 40_000;
const lookMs = 40_000;
/** A list of parts may be used again for so long, to see that there is nothing to do. */
const cacheMs = 10_000;
const finalizer = 'example.io/parts';

interface Part {
  readonly name: string;
  readonly uid: string;
  /** The version of the widget for which it was made: absence in an older list means nothing. */
  readonly since: number;
}

type WidgetObject = ObjectOf<typeof Widget>;

interface Step extends PlannedStep {
  readonly do: 'make' | 'scrap';
  readonly part: Part;
}

interface Memory {
  uid: string;
  cache: { readonly parts: readonly Part[]; readonly readMs: number };
}

class Workshop {
  readonly parts = new Map<string, Part>();
  /** By widget: what the program was last told that there is, for the oracles. */
  readonly told = new Map<string, readonly Part[]>();

  make(part: Part): void {
    if (this.parts.has(part.name)) throw new ApiError('AlreadyExists', { kind: 'Part', name: part.name });
    this.parts.set(part.name, { ...part });
  }

  /** Of this widget only: by now the name may be taken by a part of another. */
  scrap({ name, uid }: Part): void {
    if (this.parts.get(name)?.uid === uid) this.parts.delete(name);
  }

  of(uid: string): Part[] {
    return [...this.parts.values()].filter((part) => part.uid === uid);
  }
}

/** The dependencies to the workshop, as a process sees them. */
function tools(dependencies: ProcessDependencies, workshop: Workshop) {
  const link = 'workshop';
  return {
    async list(uid: string): Promise<readonly Part[]> {
      const parts = await dependencies.effect('list parts', () => workshop.of(uid), { kind: 'read', link });
      workshop.told.set(uid, parts);
      return parts;
    },
    listAll: () => dependencies.effect('list all parts', () => [...workshop.parts.values()], { kind: 'read', link }),
    make: (part: Part) => dependencies.effect(`make ${part.name}`, () => workshop.make(part), { kind: 'write', link }),
    scrap: (part: Part) =>
      dependencies.effect(`scrap ${part.name}`, () => workshop.scrap(part), { kind: 'write', link }),
  };
}

async function program(
  dependencies: ProcessDependencies,
  workshop: Workshop,
  view: Set<string>,
  defects: Options,
): Promise<void> {
  const { store, clock, random, signal, log } = dependencies;
  const registry = new EmbeddedRegistry({ store, kinds: [Widget], clock, random });
  const { list, listAll, make, scrap } = tools(dependencies, workshop);
  const firstSizes = new Map<string, number>();

  /** A name that is taken by a part of a former widget is freed first. */
  async function ensure(part: Part): Promise<void> {
    try {
      await make(part);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const other = (await listAll()).find(({ name }) => name === part.name);
      // An earlier request of ours arrived late.
      if (other?.uid === part.uid) return;
      // Made for a later version: the widget that we know is the former one, and its part must not replace the other.
      if (other && other.since > part.since) throw error;
      if (other) await scrap(other);
      await make(part);
    }
  }

  async function perform({ do: verb, part }: Step, version: string): Promise<void> {
    if (verb === 'scrap') await scrap(part);
    else await ensure({ ...part, since: Number(version) });
  }

  /** A list that was read before may confirm that there is nothing to do. */
  async function partsOf({ metadata }: WidgetObject, pass: Pass<Memory>): Promise<readonly Part[]> {
    const { memory } = pass;
    const { cache } = memory;
    if (!defects.isEager && pass.mayUseCache && cache !== undefined && clock.monotonicMs() - cache.readMs < cacheMs) {
      pass.usedCache();
      return cache.parts;
    }
    try {
      const isNamed = ({ name }: Part) => name.startsWith(`${metadata.name}-`);
      const parts = await (defects.leftoverTakenForOwn
        ? listAll().then((all) => all.filter(isNamed))
        : list(metadata.uid));
      memory.cache = { parts, readMs: clock.monotonicMs() };
      return parts;
    } catch (error) {
      if (defects.unreachableIsEmpty) return [];
      throw error;
    }
  }

  const decide = (
    { metadata, spec }: WidgetObject,
    parts: readonly Part[],
  ): Decision<NonNullable<WidgetObject['status']>, Step> => {
    const { name, uid } = metadata;
    const isDeleting = metadata.deletionTimestamp !== undefined;
    const wantedSize = defects.eventTrusted ? (firstSizes.get(uid) ?? spec.size) : spec.size;
    firstSizes.set(uid, wantedSize);
    const size = isDeleting ? 0 : wantedSize;
    const wanted = Array.from({ length: size }, (_, n) => `${name}-${n}`);
    const missing = wanted.filter((part) => !parts.some((other) => other.name === part));
    const count = defects.generatedNames ? Math.max(0, size - parts.length) : missing.length;
    const isSurplus = (part: Part, index: number) =>
      defects.generatedNames ? index >= size : !wanted.includes(part.name);
    const surplus = defects.surplusKept && !isDeleting ? [] : parts.filter(isSurplus);
    const make = (part: string): Step => ({
      do: 'make',
      part: { name: defects.generatedNames ? `${name}-${random.uuid().slice(0, 8)}` : part, uid, since: 0 },
    });
    const steps = [...missing.slice(0, count).map(make), ...surplus.map((part): Step => ({ do: 'scrap', part }))];
    if (isDeleting && defects.finalizerRemovedFirst) return { status: undefined, hold: false };
    const isLate = defects.finalizerAddedLate && parts.length === 0;
    const hold = !isDeleting && !isLate;
    return { status: { phase: steps.length === 0 ? `${size} parts` : `to ${size} parts` }, steps, hold };
  };

  const operation = operate(
    {
      kind: Widget,
      finalizer,
      triggers: [
        { name: 'spec', changes: defects.isEager ? [] : [generationChanged] },
        // The workshop sends no events, for example for a request that arrives late.
        { name: 'look', every: () => (defects.neverLooks ? undefined : lookMs) },
      ],
      async observe(widget, pass: Pass<Memory>) {
        const { name, namespace, uid, resourceVersion } = widget.metadata;
        pass.memory.uid = uid;
        const parts = await partsOf(widget, pass);
        if (defects.actsWhileObserving) {
          for (const step of decide(widget, parts).steps ?? []) await perform(step, resourceVersion);
        }
        if (defects.statusUndoesSpec) {
          await pass.registry.resource(Widget).patch(name, { spec: { size: widget.spec.size } }, { namespace });
        }
        return parts;
      },
      decide,
      async act(step: Step, { metadata }, _parts, { memory }) {
        delete memory.cache;
        try {
          await perform(step, metadata.resourceVersion);
        } catch (error) {
          if (defects.failureSwallowed) return 'done';
          if (isApiError(error, 'Timeout')) return unknown(error.message);
          if (isApiError(error, 'AlreadyExists')) return refused(error.message);
          throw error;
        }
        return 'done';
      },
      async gone({ memory: { uid } }) {
        if (!defects.finalizerRemovedFirst || uid === undefined) return undefined;
        for (const part of await list(uid)) await scrap(part);
        return undefined;
      },
    },
    { name: 'workshop', log, workers: 2, timeoutMs: 30_000 },
  );

  /** Another user of the informer. */
  const informers = new Informers({ registry, resyncMs: defects.neverResyncs ? 1e9 : resyncMs });
  const { informer, release } = informers.use(Widget);
  view.clear();
  informer.addHandler(({ type, key }) => {
    if (type === 'deleted') view.delete(key);
    else view.add(key);
  });

  /** A request that was on its way when its sender died may arrive after the widget is gone. */
  async function janitor(): Promise<void> {
    while (!signal.aborted) {
      await sleep(clock, janitorMs, signal);
      try {
        const parts = await listAll();
        if (parts.length === 0) continue;
        const { items, resourceVersion } = await registry.resource(Widget).list();
        const alive = new Set(items.map((item) => item.metadata.uid));
        for (const part of parts) {
          if (!alive.has(part.uid) && Number(resourceVersion) >= part.since) await scrap(part);
        }
      } catch (error) {
        if (!isApiError(error)) throw error;
      }
    }
  }
  await Promise.all([
    operation.run({ registry, signal, informers }).finally(release),
    defects.noJanitor ? undefined : janitor(),
  ]);
}

/** People: they make, resize, delete and make again, over a quarter of a minute. They read before they write. */
async function people(dependencies: ProcessDependencies, wanted: Map<string, number>): Promise<void> {
  const { store, clock, random } = dependencies;
  const widgets = new EmbeddedRegistry({ store, kinds: [Widget], clock, random }).resource(Widget);
  for (let step = 0; step < 5; step++) {
    const name = random.next() < 0.6 ? 'a' : 'b';
    const size = Math.floor(random.next() * 4);
    if (random.next() < 0.25) {
      await widgets.delete(name);
      wanted.delete(name);
    } else {
      await widgets.apply({ metadata: { name }, spec: { size } }).then(
        () => wanted.set(name, size),
        (error) => {
          if (!isApiError(error)) throw error;
        },
      );
      // A change of labels causes no pass, and is a conflict for the one that the edit has caused.
      await sleep(clock, random.next() * 20);
      await widgets.patch(name, { metadata: { labels: { step: String(step) } } }).catch((error) => {
        if (!isApiError(error)) throw error;
      });
    }
    // Some edits meet the pass that the previous one has caused.
    await sleep(clock, random.next() * (random.next() < 0.3 ? 40 : 2000));
  }
}

interface StoredWidget {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly size: number };
  readonly status?: { readonly phase?: string };
}

const prefix = 'example.io/v1/widgets/';
const storedWidgets = (simulation: Pick<Simulation, 'store'>) =>
  [...simulation.store.jsonBelow(prefix)].map(([, value]) => value as StoredWidget);

/**
 * Without faults, only with latency. There the controller needs no resync, so
 * that what is lost in its own house shows.
 */
export function calmScenario(defects: Defects = {}, leftovers: readonly Part[] = []): Scenario {
  return {
    ...workshopScenario({ ...defects, neverLooks: true, isEager: true }, leftovers),
    name: 'calm',
    weights: { perEffect: {}, perMinute: {} },
  };
}

/** Parts of former widgets of the same names: their requests were applied after those widgets were gone. */
export const leftoversOfFormerOwners: readonly Part[] = ['a-0', 'a-1', 'b-0'].map((name) => ({
  name,
  uid: 'former',
  since: 0,
}));

/** `leftovers` are in the workshop from the start. */
export function workshopScenario(defects: Options = {}, leftovers: readonly Part[] = []): Scenario {
  return {
    name: 'workshop',
    weights: unreliableStoreFaults,
    faultsUntilMs,
    endMs,
    build(simulation) {
      const workshop = new Workshop();
      for (const part of leftovers) workshop.make(part);
      const wanted = new Map<string, number>();
      const view = new Set<string>();
      simulation.process('people', { faults: false }).start((dependencies) => people(dependencies, wanted));
      simulation
        .process('controller', { links: ['store', 'workshop'] })
        .start((dependencies) => program(dependencies, workshop, view, defects));

      const largest = new Map<string, number>();
      let checkedAt = -1;
      simulation.always('no part that was not intended, none without a finalizer, none left behind', () => {
        if (checkedAt !== simulation.store.newest) {
          checkedAt = simulation.store.newest;
          const stored = storedWidgets(simulation);
          for (const { metadata, status } of stored) {
            const intended = Number(/\d+/u.exec(status?.phase ?? '0')?.[0]);
            largest.set(metadata.uid, Math.max(intended, largest.get(metadata.uid) ?? 0));
            if (metadata.finalizers?.includes(finalizer)) continue;
            const early = workshop.of(metadata.uid)[0];
            if (early) return `${early.name} was made before the finalizer of ${metadata.name} was stored`;
          }
          const alive = new Set(stored.map(({ metadata }) => metadata.uid));
          for (const uid of largest.keys()) {
            if (alive.has(uid)) continue;
            largest.delete(uid);
            // A request that was on its way may arrive after the last look; what was seen there has to be scrapped before.
            const left = workshop.of(uid).find((part) => workshop.told.get(uid)?.includes(part));
            if (left) return `${left.name} was left behind when its widget went`;
          }
        }
        for (const [uid, size] of largest) {
          const count = workshop.of(uid).length;
          if (count > size) return `${count} parts of a widget whose status never said more than ${size}`;
        }
        return undefined;
      });
      simulation.eventually('every widget has exactly its parts, and says so', () => {
        for (const { metadata, spec, status } of storedWidgets(simulation)) {
          const parts = workshop.of(metadata.uid).map((part) => part.name);
          if (metadata.deletionTimestamp) return `${metadata.name} is still being deleted`;
          if (parts.length !== spec.size)
            return `${metadata.name} has ${parts.join(', ') || 'no parts'}, not ${spec.size}`;
          if (status?.phase !== `${spec.size} parts`)
            return `${metadata.name} says ${status?.phase}, not ${spec.size} parts`;
        }
        return undefined;
      });
      simulation.eventually('nothing is left of widgets that are gone', () => {
        const alive = new Set(storedWidgets(simulation).map(({ metadata }) => metadata.uid));
        const orphan = [...workshop.parts.values()].find((part) => !alive.has(part.uid));
        return orphan && `${orphan.name} has no owner`;
      });
      simulation.eventually('the last edit of users is stored', () => {
        for (const { metadata, spec } of storedWidgets(simulation)) {
          if (wanted.get(metadata.name) !== spec.size)
            return `${metadata.name} has size ${spec.size}, users set ${wanted.get(metadata.name)}`;
        }
        return undefined;
      });
      simulation.eventually('the informer has the stored versions', () => {
        const stored = [...simulation.store.contents.keys()].filter((key) => key.startsWith(prefix)).sort();
        return [...view].sort().join() === stored.join()
          ? undefined
          : `it says ${[...view].join(', ')}, not ${stored.join(', ')}`;
      });
      simulation.eventually('at rest nothing is written', stable({ quietMs }));
    },
  };
}
