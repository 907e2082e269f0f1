/**
 * Defects planted one at a time: each a small plausible mistake. The simulator has to find every one, or
 * it proves nothing about the program without them.
 */
import { ApiError, isApiError } from '../../src/api/errors.ts';
import type { ApiObject } from '../../src/api/object.ts';
import { Informer } from '../../src/informer/informer.ts';
import { Versions } from '../../src/informer/versions.ts';
import { Term } from '../../src/manager/term.ts';
import { encode, type StoredObject, withRevision } from '../../src/registry/codec.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import { EmbeddedResource } from '../../src/registry/resource.ts';
import { Writer } from '../../src/registry/writer.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';
import { WorkQueue } from '../../src/workqueue/queue.ts';
import { electionScenario } from './election.kit.ts';
import { expiredScenario, laggingScenario, pagesScenario } from './follower.kit.ts';
import { garbageScenario } from './garbage.kit.ts';
import { leadersScenario } from './leaders.kit.ts';
import { calmScenario, type Defects, leftoversOfFormerOwners, workshopScenario } from './workshop.kit.ts';

interface Mutant {
  readonly name: string;
  readonly scenario: Scenario;
  /** Plants the defect; the answer takes it out again. */
  readonly plant: () => () => void;
}

const inProgram = (name: string, defects: Defects): Mutant => ({
  name,
  scenario: workshopScenario(defects),
  plant: () => () => {},
});

/** Replaces methods of a class until it is taken back. */
function patch<T extends object>(prototype: T, methods: (original: T) => Partial<T>): () => () => void {
  return () => {
    const original = Object.create(
      null,
      Object.fromEntries(
        Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, descriptor]) => [name, descriptor]),
      ),
    ) as T;
    const replaced = methods(original);
    const before = Object.fromEntries(
      Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)]),
    );
    Object.assign(prototype, replaced);
    return () => {
      for (const [name, descriptor] of Object.entries(before))
        if (descriptor) Object.defineProperty(prototype, name, descriptor);
    };
  };
}

const inLibrary = (name: string, plant: Mutant['plant'], scenario: Scenario = workshopScenario()): Mutant => ({
  name,
  scenario,
  plant,
});

/** Keys in flight, for the defects of the queue. */
const inFlight = new WeakMap<WorkQueue, Set<string>>();
const flightsOf = (queue: WorkQueue) => {
  const calls = inFlight.get(queue) ?? new Set();
  inFlight.set(queue, calls);
  return calls;
};

type AnyResource = EmbeddedResource<unknown, unknown>;

/** Where the watches of a resource began: what its informer knows. */
const positions = new WeakMap<AnyResource, string>();

export const mutants: readonly Mutant[] = [
  inProgram('names come from chance', { generatedNames: true }),
  inProgram('the finalizer goes before the clean-up', { finalizerRemovedFirst: true }),
  inProgram('parts are made before the finalizer is stored', { finalizerAddedLate: true }),
  inProgram('the content of an event is trusted', { eventTrusted: true }),
  inProgram('a status write undoes the spec', { statusUndoesSpec: true }),
  inProgram('the workshop is not looked at by itself', { neverLooks: true }),
  inProgram('a failure is swallowed', { failureSwallowed: true }),
  inProgram('what is too much is kept', { surplusKept: true }),
  inProgram('late requests are not cleaned up', { noJanitor: true }),
  inProgram('there is no resync', { neverResyncs: true }),
  inProgram('parts are made before the intent is stored', { actsWhileObserving: true }),
  inProgram('what cannot be listed counts as absent', { unreachableIsEmpty: true }),
  {
    name: 'a leftover of a former owner counts as its own',
    scenario: calmScenario({ leftoverTakenForOwn: true }, leftoversOfFormerOwners),
    plant: () => () => {},
  },
  inLibrary(
    'a conflict is given up on',
    patch(EmbeddedResource.prototype, (original) => {
      const terminal = (error: unknown) => {
        if (!isApiError(error, 'Conflict')) throw error;
        throw new ApiError('BadRequest', { reason: error.message });
      };
      return {
        updateStatus(this: AnyResource, ...args: Parameters<AnyResource['updateStatus']>) {
          return original.updateStatus.apply(this, args).catch(terminal);
        },
        patch(this: AnyResource, ...args: Parameters<AnyResource['patch']>) {
          return original.patch.apply(this, args).catch(terminal);
        },
      };
    }),
  ),
  inLibrary('a stale read is used', () => {
    const unknownEvents = patch(Informer.prototype, () => ({ versionOf: () => undefined, isDeleted: () => false }))();
    const unknownWrites = patch(EmbeddedRegistry.prototype, () => ({
      observedBy(this: EmbeddedRegistry) {
        return this;
      },
    }))();
    return () => {
      unknownEvents();
      unknownWrites();
    };
  }),
  inLibrary(
    'the finalizer is stored after the intent',
    patch(EmbeddedResource.prototype, (original) => ({
      async updateStatus(this: AnyResource, ...[update, options = {}]: Parameters<AnyResource['updateStatus']>) {
        const { finalizer, ...others } = options;
        const written = await original.updateStatus.call(this, update, others);
        if (finalizer === undefined) return written;
        void original.updateStatus.call(this, update, { finalizer }).catch(() => {});
        return written;
      },
    })),
  ),
  inLibrary(
    'the dirty set is dropped',
    patch(WorkQueue.prototype, (original) => ({
      async take(this: WorkQueue, ...args: Parameters<WorkQueue['take']>) {
        const item = await original.take.apply(this, args);
        if (item) flightsOf(this).add(item.key);
        return item;
      },
      done(this: WorkQueue, key: string) {
        flightsOf(this).delete(key);
        original.done.call(this, key);
      },
      add(this: WorkQueue, ...args: Parameters<WorkQueue['add']>) {
        // A requeue of the run that ends is let through; what others add meanwhile is lost.
        if (!flightsOf(this).has(args[0]) || args[1]?.afterMs !== undefined || args[1]?.reason === 'conflict')
          original.add.apply(this, args);
      },
    })),
    calmScenario(),
  ),
  inLibrary(
    'a key is dropped on error',
    patch(WorkQueue.prototype, () => ({
      retry(this: WorkQueue, key: string) {
        this.forget(key);
        return 0;
      },
    })),
  ),
  inLibrary(
    'a resync misses deletes',
    patch(Versions.prototype, (original) => ({
      *compare(this: Versions, ...args: Parameters<Versions['compare']>) {
        for (const change of original.compare.apply(this, args)) if (change.type !== 'deleted') yield change;
      },
    })),
  ),
  inLibrary(
    'a watch that cannot resume goes on from the newest',
    patch(EmbeddedResource.prototype, (original) => ({
      async *watchVersions(this: AnyResource, options: Parameters<AnyResource['watchVersions']>[0]) {
        try {
          yield* original.watchVersions.call(this, options);
        } catch (error) {
          if (!isApiError(error, 'Expired')) throw error;
          const { resourceVersion } = await this.versions({ limit: 1 });
          yield* original.watchVersions.call(this, { ...options, resourceVersion });
        }
      },
    })),
    expiredScenario,
  ),
  inLibrary(
    'writes are not compared',
    patch(Writer.prototype, (original) => ({
      commit(this: Writer, writes: Parameters<Writer['commit']>[0]) {
        return original.commit.call(
          this,
          writes.map((write) =>
            write.type === 'put' && write.expected !== 0
              ? { type: 'put' as const, key: write.key, value: write.value }
              : write,
          ),
        );
      },
      async put<Spec, Status>(
        this: Writer,
        key: string,
        object: StoredObject<Spec, Status>,
        expected: number,
      ): Promise<ApiObject<Spec, Status> | undefined> {
        const put: Writer['put'] = original.put.bind(this);
        if (expected === 0) return put(key, object, expected);
        const outcome = await this.commit([{ type: 'put', key, value: encode(object) }]);
        return typeof outcome === 'number' ? withRevision(object, outcome) : undefined;
      },
    })),
  ),
  inLibrary(
    'the fence is not checked',
    patch(EmbeddedRegistry.prototype, () => ({
      fencedBy(this: EmbeddedRegistry) {
        return this;
      },
    })),
    leadersScenario,
  ),
  inLibrary(
    'the pages of a list are not as of one revision',
    patch(EmbeddedResource.prototype, (original) => ({
      async versions(this: AnyResource, options: Parameters<AnyResource['versions']>[0] = {}) {
        const { continue: token, ...rest } = options;
        if (token === undefined) return original.versions.call(this, options);
        // The rest of the newest list instead of that of the version in the token.
        const [, after] = JSON.parse(Buffer.from(token, 'base64url').toString());
        const { resourceVersion } = await original.versions.call(this, { limit: 1 });
        const newest = Buffer.from(JSON.stringify([Number(resourceVersion), after])).toString('base64url');
        return original.versions.call(this, { ...rest, continue: newest });
      },
    })),
    pagesScenario,
  ),
  inLibrary(
    'a list older than what is known is accepted',
    patch(EmbeddedResource.prototype, (original) => ({
      watchVersions(this: AnyResource, options: Parameters<AnyResource['watchVersions']>[0]) {
        positions.set(this, options.resourceVersion);
        return original.watchVersions.call(this, options);
      },
      async versions(this: AnyResource, options?: Parameters<AnyResource['versions']>[0]) {
        const page = await original.versions.call(this, options);
        const newest = Math.max(Number(page.resourceVersion), Number(positions.get(this) ?? 0));
        return { ...page, resourceVersion: String(newest) };
      },
    })),
    laggingScenario,
  ),
  inLibrary(
    'a get older than the revision that woke the key is accepted',
    patch(Informer.prototype, () => ({
      versionOf: () => undefined,
    })),
  ),
  inLibrary(
    'the term of a leader counts from the end of its renewal',
    patch(Term.prototype, (original) => ({
      async extendedBy(this: Term, renewal: () => Promise<boolean>) {
        const renewed = await renewal();
        return original.extendedBy.call(this, async () => renewed);
      },
    })),
    electionScenario,
  ),
  inLibrary(
    'garbage is deleted whatever has become of it',
    patch(EmbeddedResource.prototype, (original) => ({
      delete(this: AnyResource, name: string, options: Parameters<AnyResource['delete']>[1] = {}) {
        const { uid: _, resourceVersion: __, ...others } = options;
        return original.delete.call(this, name, others);
      },
    })),
    garbageScenario,
  ),
  inLibrary(
    'an owner that cannot be read counts as gone',
    patch(EmbeddedResource.prototype, (original) => ({
      async get(this: AnyResource, ...args: Parameters<AnyResource['get']>) {
        try {
          return await original.get.apply(this, args);
        } catch (error) {
          if (!isApiError(error, 'Corrupt')) throw error;
          throw new ApiError('NotFound', { kind: this.kind.kind, name: args[0] });
        }
      },
    })),
    garbageScenario,
  ),
];
