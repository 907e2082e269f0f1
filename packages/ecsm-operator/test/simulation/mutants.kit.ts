import { CircuitBreaker } from '@ecsm/client';
import { type Fault, type RunResult, SeededRandom } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import { Performer } from '../../src/controller/performer.ts';
import type * as revisions from '../../src/controller/revisions.ts';
import type * as sendSteps from '../../src/controller/send-step.ts';
import type * as settings from '../../src/controller/settings.ts';
import { OwnerRecords } from '../../src/observe/owner-records.ts';
import { ServiceRecords } from '../../src/observe/service-records.ts';
import { Staleness } from '../../src/observe/staleness.ts';
import type * as differing from '../../src/resource/differences.ts';
import type * as marks from '../../src/resource/mark.ts';
import type * as capacities from '../../src/service/capacity.ts';
import type * as cleanups from '../../src/service/cleanup.ts';
import type * as said from '../../src/service/conditions.ts';
import type * as healing from '../../src/service/healing.ts';
import type { RevisionContent } from '../../src/service/model.ts';
import type * as owning from '../../src/service/ownership.ts';
import type * as plans from '../../src/service/plan.ts';
import type * as contexts from '../../src/service/plan-context.ts';
import type * as problems from '../../src/service/problems.ts';
import type * as removing from '../../src/service/removals.ts';
import type * as rollouts from '../../src/service/rollout.ts';
import type * as rolloutNames from '../../src/service/rollout-name.ts';
import { patch, replace } from './planting.kit.ts';

type FaultPlans = (reference: RunResult) => readonly (readonly Fault[])[];

export interface Mutant {
  readonly name: string;
  readonly story: string;
  /** The oracle that is there for such a defect. */
  readonly caughtBy: string | readonly string[];
  /** Plants the defect; the answer takes it out again. */
  readonly plant: () => () => void;
  readonly behaviour?: Partial<Behaviour>;
  readonly isRestarted?: boolean;
  readonly isFocused?: boolean;
  /** Where to begin among the seeds, for a defect that takes many of them. Default 1. */
  readonly firstSeed?: number;
  /** What has to go wrong for it to show, made from a run in which nothing does: several attempts, one after the other. */
  readonly faults?: FaultPlans;
}

/** The requests of that name, one in each attempt, arrive long after their sender gave them up. */
const late =
  (name: string, delayMs: number): FaultPlans =>
  ({ journal }) =>
    callsNamed(name, journal).map((effect) => [{ type: 'delay', process: 'operator', effect, delayMs }]);

function callsNamed(name: string, { effects }: RunResult['journal']): readonly number[] {
  return effects.filter((effect) => effect.process === 'operator' && effect.name === name).map(({ number }) => number);
}

const tooMany = 'no instance too many';
const tooFew = 'never too few ready during a rolling update';
const twice = 'no revision is there twice';
const wanted = 'the platform has what people want, and the status says so';
const touched = 'nothing foreign is touched';
const leftBehind = 'nothing is left when an object goes';
const orphaned = 'nothing is left of what is gone';
const written = 'at rest nothing is written';
const called = 'at rest nothing is called but to look';

export const mutants: readonly Mutant[] = [
  {
    name: 'the surge has no bound, for a dynamic service',
    story: 'rolling update of a dynamic service',
    caughtBy: tooMany,
    plant: () => replace<typeof capacities.nextCount>('nextCount', () => (context) => context.wanted.replicas),
  },
  {
    name: 'the surge has no bound, for a static service',
    story: 'rolling update of a static service',
    caughtBy: tooMany,
    plant: () => replace<typeof capacities.nextNodes>('nextNodes', () => (context) => context.wanted.nodeNames),
  },
  {
    name: 'as few as none may be ready',
    story: 'rolling update of a dynamic service',
    caughtBy: tooFew,
    plant: () =>
      replace<typeof contexts.planContextOf>('planContextOf', (original) => (input) => {
        const context = original(input);
        return { ...context, wanted: { ...context.wanted, readyMin: 0 } };
      }),
  },
  {
    name: 'what was just asked to go counts as ready',
    story: 'rolling update of a dynamic service',
    caughtBy: tooFew,
    plant: () =>
      replace<typeof contexts.planContextOf>('planContextOf', (original) => (input) => {
        const context = original(input);
        const trusting = <T extends contexts.Owned>(one: T) => ({ ...one, certainCount: one.instances.length });
        const owned = context.owned.map(trusting);
        const find = (one: contexts.Owned) => owned[context.owned.indexOf(one)] ?? one;
        const newest = context.newest && find(context.newest);
        return { ...context, owned, olds: context.olds.map(find), ...(newest && { newest }) };
      }),
  },
  {
    name: 'a restarted operator counts on a service that is being deleted',
    story: 'changes of mind during a rolling update of a static service',
    caughtBy: tooFew,
    isFocused: true,
    behaviour: { deleteMs: 8_000 },
    plant: () => replace<typeof removing.removalsOf>('removalsOf', () => () => ({ current: [] })),
  },
  {
    name: 'the platform is called before the status is written',
    story: 'changes of mind during a rolling update of a static service',
    caughtBy: tooFew,
    isFocused: true,
    behaviour: { deleteMs: 8_000 },
    firstSeed: 41,
    plant: () =>
      patch(Performer.prototype, (original) => ({
        async perform(this: Performer, service, decided, input, job) {
          const perform = (plan: typeof decided) => original.perform.call(this, service, plan, input, job);
          if (decided.steps.length === 0) return perform(decided);
          const { conditions, ...status } = service.status ?? { ...decided.status, conditions: [] };
          const result = await perform({ ...decided, status, conditions });
          await perform({ ...decided, steps: [] });
          return result;
        },
      })),
  },
  {
    name: 'what a former owner of the name left behind is not ours',
    story: 'a step of a rolling update that comes late, when its owner was deleted and created again',
    caughtBy: orphaned,
    plant: () =>
      replace<typeof owning.ownershipOf>('ownershipOf', (original) => (input) => {
        const { uid } = input.service.metadata;
        const observed = input.observed.filter(({ mark }) => mark === undefined || mark.uid === uid);
        return original({ ...input, observed });
      }),
  },
  {
    name: 'the finalizer goes before the platform confirms',
    story: 'delete, also during creation',
    caughtBy: leftBehind,
    plant: () =>
      replace<typeof cleanups.planCleanup>('planCleanup', (original) => (input) => ({
        ...original(input),
        isClean: true,
      })),
  },
  {
    name: 'nobody looks for what came late',
    story: 'delete, also during creation',
    caughtBy: orphaned,
    faults: late('POST /service', 20_000),
    plant: () => patch(OwnerRecords.prototype, () => ({ releasedUid: () => undefined, lateCreationMs: () => 0 })),
  },
  {
    name: 'a deletion that was begun counts as done',
    story: 'delete, also during creation',
    caughtBy: leftBehind,
    plant: () =>
      patch(Staleness.prototype, (original) => ({
        corrected(this: Staleness, services) {
          return original.corrected.call(this, services).filter(({ id }) => !this.isBeingDeleted(id));
        },
      })),
  },
  {
    name: 'whatever is there is ours',
    story: 'leave a foreign service alone',
    caughtBy: touched,
    plant: () => replace<typeof marks.isOurs>('isOurs', () => () => true),
  },
  {
    name: 'a service is adopted though nobody asked for it',
    story: 'leave a foreign service alone',
    caughtBy: touched,
    plant: () =>
      replace<typeof owning.ownershipOf>('ownershipOf', (original) => (input) => {
        const { metadata } = input.service;
        const annotations = { ...metadata.annotations, 'ecsm.sh/adopt': 'true' };
        return original({ ...input, service: { ...input.service, metadata: { ...metadata, annotations } } });
      }),
  },
  {
    name: 'the mark is not rendered',
    story: 'create',
    caughtBy: wanted,
    plant: () => replace<typeof marks.markLines>('markLines', () => () => []),
  },
  {
    name: 'names of rollouts come from chance',
    story: 'rolling update of a dynamic service',
    caughtBy: twice,
    faults: late('POST /service', 8_000),
    plant: () => {
      const random = new SeededRandom(1, 1);
      return replace<typeof rolloutNames.freeName>(
        'freeName',
        () =>
          ({ base }) =>
            `${base}-${random.uuid().slice(0, 8)}`,
      );
    },
  },
  {
    name: 'what somebody changed is not noticed',
    story: 'put right what somebody changed, stopped and deleted by hand',
    caughtBy: wanted,
    plant: () => replace<typeof differing.differences>('differences', () => () => []),
  },
  {
    name: 'instances that were stopped stay so',
    story: 'put right what somebody changed, stopped and deleted by hand',
    caughtBy: wanted,
    plant: () => replace<typeof healing.heal>('heal', () => () => ({ actions: [] })),
  },
  {
    name: 'a deployment that failed is left so',
    story: 'deployments that fail at first',
    caughtBy: wanted,
    plant: () =>
      replace<typeof problems.problemsOf>(
        'problemsOf',
        (original) => (owned) => original(owned).filter(({ reason }) => reason !== 'DeploymentFailed'),
      ),
  },
  {
    name: 'a link that was lost is never tried again',
    story: 'the platform out of reach for an hour',
    caughtBy: wanted,
    plant: () => patch(CircuitBreaker.prototype, () => ({ run: () => new Promise<void>(() => {}) })),
  },
  {
    name: 'the observer wakes nobody',
    story: 'put right what somebody changed, stopped and deleted by hand',
    // The list of all instances, an hour later, tells after all.
    caughtBy: [wanted, written],
    plant: () =>
      patch(ServiceRecords.prototype, (original) => ({
        compare(this: ServiceRecords, row, updatedMs, poll) {
          original.compare.call(this, row, updatedMs, poll);
          return 'same';
        },
        endPoll(this: ServiceRecords, ids, poll) {
          original.endPoll.call(this, ids, poll);
          return [];
        },
      })),
  },
  {
    name: 'a message tells the time',
    story: 'create',
    caughtBy: written,
    isRestarted: true,
    plant: () =>
      replace<typeof said.conditionsOf>(
        'conditionsOf',
        (original) => (findings) =>
          original(findings).map((one) => ({ ...one, message: `${one.message} at ${findings.context.input.nowMs}` })),
      ),
  },
  {
    name: 'what has not changed wakes its owner',
    story: 'create',
    caughtBy: called,
    plant: () =>
      patch(ServiceRecords.prototype, (original) => ({
        compare(this: ServiceRecords, row, updatedMs, poll) {
          const seen = original.compare.call(this, row, updatedMs, poll);
          return seen === 'same' ? 'changed' : seen;
        },
      })),
  },
  {
    name: 'the old service stays after a rolling update',
    story: 'rolling update of a static service',
    caughtBy: wanted,
    plant: () =>
      replace<typeof rollouts.rollOut>('rollOut', (original) => (context) => {
        const decision = original(context);
        return { ...decision, actions: decision.actions.filter(({ step }) => step.do !== 'delete') };
      }),
  },
  {
    name: 'an update in the middle of an update goes on to where it was going',
    story: 'two edits during a rolling update',
    caughtBy: wanted,
    plant: () => {
      const targets = new Map<string, RevisionContent>();
      return replace<typeof revisions.ensureRevision>('ensureRevision', (original) => async (registry, service) => {
        const { uid } = service.metadata;
        const isRolling = service.status?.currentRevision !== service.status?.updateRevision;
        const target = isRolling ? targets.get(uid) : undefined;
        const revision = target ?? (await original(registry, service));
        targets.set(uid, revision);
        return revision;
      });
    },
  },
  {
    name: 'a pause is not heeded',
    story: 'pause and resume a rolling update',
    caughtBy: 'what is paused stays as it is',
    plant: () =>
      replace<typeof plans.plan>('plan', (original) => (input) => {
        const { service } = input;
        return original({ ...input, service: { ...service, spec: { ...service.spec, paused: false } } });
      }),
  },
  {
    name: 'a reason that is on no list',
    story: 'create',
    caughtBy: 'everything that is said is on the list of what may be said',
    plant: () =>
      replace<typeof said.conditionsOf>(
        'conditionsOf',
        (original) => (findings) => original(findings).map((one) => ({ ...one, reason: `${one.reason}Really` })),
      ),
  },
  {
    name: 'calls pile up',
    story: 'put right what somebody changed, stopped and deleted by hand',
    caughtBy: 'few calls at once',
    plant: () =>
      replace<typeof settings.operatorSettings>('operatorSettings', (original) => (input) => ({
        ...original(input),
        inFlightMax: 1_000,
      })),
  },
  {
    name: 'a platform that refuses to have no instances is asked again and again',
    story: 'scale to nothing and stay there',
    caughtBy: wanted,
    behaviour: { factorZero: 'refuse' },
    plant: () =>
      replace<typeof sendSteps.sendStep>('sendStep', (original) => (step, ...rest) => {
        const { ifRefused: _, ...plain } = step.do === 'update' ? step : { ...step, ifRefused: undefined };
        return original(plain, ...rest);
      }),
  },
];
