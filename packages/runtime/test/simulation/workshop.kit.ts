/**
 * A sample program for the simulation: a controller that keeps as many parts in a workshop as a widget's size says, and
 * a janitor for parts that arrived late. The workshop is the external system; users edit widgets meanwhile.
 *
 * `defects` are small mistakes that can be switched on; without any the program is right.
 */
import { Widget } from '@ecsm/runtime/testing';
import { ApiError, isApiError } from '../../src/api/errors.ts';
import { Controller } from '../../src/controller/controller.ts';
import { withFinalizer } from '../../src/controller/finalizer.ts';
import type { ReconcileResult } from '../../src/controller/outcome.ts';
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
  /** Parts are made before the finalizer is stored. */
  readonly finalizerAddedLate?: boolean;
  /** The size is that of the first event, not of the newest object. */
  readonly eventTrusted?: boolean;
  /** The status is written with the spec that was read, without later edits of users. */
  readonly statusUndoesSpec?: boolean;
  /** A failure in the middle counts as done. */
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
  /** A conflict counts as a failure that cannot be retried. */
  readonly conflictIsTerminal?: boolean;
  /** A read is used even if it is older than the event that enqueued the key. */
  readonly usesStaleReads?: boolean;
}

const faultsUntilMs = 8_000;
const endMs = 110_000;
const quietMs = 35_000;
const resyncMs = 40_000;
const janitorMs = 40_000;
const lookMs = 40_000;
/** A request that was on its way may arrive so late; a part that is older cannot be one of those. */
const lateMsMax = 15_000;
const finalizer = 'example.io/parts';

interface Part {
  readonly name: string;
  readonly uid: string;
  /** The version of the widget for which it was made: absence in an older list means nothing. */
  readonly since: number;
  /** When it was made, for the oracles. */
  readonly madeMs?: number;
}

class Workshop {
  readonly parts = new Map<string, Part>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  make(part: Part): void {
    if (this.parts.has(part.name)) throw new ApiError('AlreadyExists', { kind: 'Part', name: part.name });
    this.parts.set(part.name, { ...part, madeMs: this.#nowMs() });
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
    list: (uid: string) => dependencies.effect('list parts', () => workshop.of(uid), { kind: 'read', link }),
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
  defects: Defects,
): Promise<void> {
  const { store, clock, random, signal, log } = dependencies;
  const registry = new EmbeddedRegistry({ store, kinds: [Widget], clock, random });
  const { list, listAll, make, scrap } = tools(dependencies, workshop);
  const firstSizes = new Map<string, number>();

  async function scrapAll(uid: string): Promise<void> {
    for (const part of await list(uid)) await scrap(part);
  }

  /** A name that is taken by a part of a former widget is freed first. */
  async function ensure(part: Part): Promise<void> {
    try {
      await make(part);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      if (defects.leftoverTakenForOwn) return;
      const other = (await listAll()).find(({ name }) => name === part.name);
      // An earlier request of ours arrived late.
      if (other?.uid === part.uid) return;
      // Made for a later version: the widget that we know is the former one, and its part must not replace the other.
      if (other && other.since > part.since) throw error;
      if (other) await scrap(other);
      await make(part);
    }
  }

  const controller = new Controller({
    name: 'workshop',
    kind: Widget,
    log,
    workers: 2,
    timeoutMs: 30_000,
    async reconcile({ name: requested, namespace: space }, { get, registry: own }) {
      const widgets = own.resource(Widget);
      const staleOrFresh = () =>
        widgets.get(requested, { namespace: space }).catch((error) => {
          if (!isApiError(error, 'NotFound')) throw error;
          return undefined;
        });
      const widget = await (defects.usesStaleReads ? staleOrFresh() : get());
      if (!widget) return;
      type Seen = typeof widget;
      const apply = async (object: Seen): Promise<ReconcileResult> => {
        const { name, uid, resourceVersion, namespace } = object.metadata;
        const size = defects.eventTrusted ? (firstSizes.get(uid) ?? object.spec.size) : object.spec.size;
        firstSizes.set(uid, size);
        const wanted = Array.from({ length: size }, (_, n) => `${name}-${n}`);
        const present = await list(uid);
        const missing = wanted.filter((part) => !present.some((other) => other.name === part));
        const count = defects.generatedNames ? Math.max(0, size - present.length) : missing.length;
        for (const part of missing.slice(0, count)) {
          const partName = defects.generatedNames ? `${name}-${random.uuid().slice(0, 8)}` : part;
          await ensure({ name: partName, uid, since: Number(resourceVersion) });
        }
        const surplus = defects.generatedNames
          ? present.slice(size)
          : present.filter((part) => !wanted.includes(part.name));
        if (!defects.surplusKept) for (const part of surplus) await scrap(part);
        const status = { phase: `${size} parts` };
        if (defects.statusUndoesSpec) await widgets.patch(name, { spec: { size: object.spec.size } }, { namespace });
        await widgets.updateStatus({ metadata: { name, namespace, uid }, status });
        // The workshop sends no events, for example for a request that arrives late: requeue.
        return defects.neverLooks ? undefined : { requeueAfterMs: lookMs };
      };
      const cleanup = ({ metadata }: Seen) => scrapAll(metadata.uid);

      try {
        if (defects.finalizerAddedLate && widget.metadata.deletionTimestamp === undefined) await apply(widget);
        if (defects.finalizerRemovedFirst && widget.metadata.deletionTimestamp !== undefined) {
          await withFinalizer(widgets, widget, finalizer, { apply, cleanup: async () => {} });
          return await cleanup(widget);
        }
        return await withFinalizer(widgets, widget, finalizer, { apply, cleanup });
      } catch (error) {
        if (defects.conflictIsTerminal && isApiError(error, 'Conflict'))
          throw new ApiError('BadRequest', { reason: error.message });
        if (!defects.failureSwallowed) throw error;
      }
    },
  });

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
    controller.run({ registry, signal, informers }).finally(release),
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
    }
    await sleep(clock, random.next() * 2000);
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
    ...workshopScenario({ ...defects, neverLooks: true }, leftovers),
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
export function workshopScenario(defects: Defects = {}, leftovers: readonly Part[] = []): Scenario {
  return {
    name: 'workshop',
    weights: unreliableStoreFaults,
    faultsUntilMs,
    endMs,
    build(simulation) {
      const workshop = new Workshop(() => simulation.nowMs);
      for (const part of leftovers) workshop.make(part);
      const wanted = new Map<string, number>();
      const view = new Set<string>();
      simulation.process('people', { faults: false }).start((dependencies) => people(dependencies, wanted));
      simulation
        .process('controller', { links: ['store', 'workshop'] })
        .start((dependencies) => program(dependencies, workshop, view, defects));

      const largest = new Map<string, number>();
      let checkedAt = -1;
      simulation.always('no part too many, none without a finalizer, none left behind', () => {
        if (checkedAt !== simulation.store.newest) {
          checkedAt = simulation.store.newest;
          const stored = storedWidgets(simulation);
          for (const { metadata, spec } of stored) {
            largest.set(metadata.uid, Math.max(spec.size, largest.get(metadata.uid) ?? 0));
            if (metadata.finalizers?.includes(finalizer)) continue;
            const early = workshop.of(metadata.uid)[0];
            if (early) return `${early.name} was made before the finalizer of ${metadata.name} was stored`;
          }
          const alive = new Set(stored.map(({ metadata }) => metadata.uid));
          for (const uid of largest.keys()) {
            if (alive.has(uid)) continue;
            largest.delete(uid);
            const left = workshop.of(uid).find((part) => (part.madeMs ?? 0) < simulation.nowMs - lateMsMax);
            if (left) return `${left.name} was left behind when its widget went`;
          }
        }
        for (const [uid, size] of largest) {
          const count = workshop.of(uid).length;
          if (count > size) return `${count} parts of a widget that never had more than ${size}`;
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
