import { CircuitBreaker, isLinkFailure, ListMemory, type Transport } from '@ecsm/client';
import { ApiError } from '@ecsm/runtime';
import { type Fault, patch, type RunResult, replace, SeededRandom } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import type * as links from '../../src/controller/link.ts';
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
import type * as deciding from '../../src/service/decide.ts';
import type * as healing from '../../src/service/healing.ts';
import type * as owning from '../../src/service/ownership.ts';
import type * as plans from '../../src/service/plan.ts';
import type * as contexts from '../../src/service/plan-context.ts';
import type * as problems from '../../src/service/problems.ts';
import type * as removing from '../../src/service/removals.ts';
import type * as rollouts from '../../src/service/rollout.ts';
import type * as rolloutNames from '../../src/service/rollout-name.ts';

type FaultPlans = (reference: RunResult) => readonly (readonly Fault[])[];

export interface Mutant {
  readonly name: string;
  readonly story: string;
  /** The oracle that detects such a defect. */
  readonly caughtBy: string | readonly string[];
  /** Plants the defect. Returns a function that removes it. */
  readonly plant: () => () => void;
  readonly behaviour?: Partial<Behaviour>;
  readonly isRestarted?: boolean;
  readonly isFocused?: boolean;
  /** The first seed, for a defect that needs many of them. Default 1. */
  readonly firstSeed?: number;
  /** The faults that reveal it, from a run without faults: several attempts, one after the other. */
  readonly faults?: FaultPlans;
}

/** The requests of that name, one in each attempt, arrive long after their sender timed out. */
const late =
  (name: string, delayMs: number): FaultPlans =>
  ({ journal }) =>
    callsNamed(name, journal).map((effect) => [{ type: 'delay', process: 'operator', effect, delayMs }]);

function callsNamed(name: string, { effects }: RunResult['journal']): readonly number[] {
  return effects.filter((effect) => effect.process === 'operator' && effect.name === name).map(({ number }) => number);
}

const tooMany = 'no surplus instances';
const tooFew = 'never too few ready during a rolling update';
const twice = 'no revision has two services';
const wanted = 'platform and status match the spec';
const touched = 'foreign services are not changed';
const leftBehind = 'a deleted object leaves no service';
const orphaned = 'no orphans are left';
const written = 'at rest nothing is written';
const called = 'at rest there are only polls';
const denied = 'a link that answers is not unreachable';
const { signal: neverAborted } = new AbortController();

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
    name: 'the minimum of ready instances is 0',
    story: 'rolling update of a dynamic service',
    caughtBy: tooFew,
    plant: () =>
      replace<typeof contexts.planContextOf>('planContextOf', (original) => (input) => {
        const context = original(input);
        return { ...context, wanted: { ...context.wanted, readyMin: 0 } };
      }),
  },
  {
    name: 'instances that are being removed count as ready',
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
    name: 'a restarted operator counts a service that is being deleted',
    story: 'several edits during a rolling update of a static service',
    caughtBy: tooFew,
    isFocused: true,
    behaviour: { deleteMs: 8_000 },
    plant: () => replace<typeof removing.removalsOf>('removalsOf', () => () => ({ current: [] })),
  },
  {
    name: 'the platform is called before the status is written',
    story: 'several edits during a rolling update of a static service',
    caughtBy: tooFew,
    isFocused: true,
    behaviour: { deleteMs: 8_000 },
    firstSeed: 67,
    plant: () =>
      replace<typeof deciding.decideService>('decideService', (original) => (service, facts, nowMs) => {
        const decision = original(service, facts, nowMs);
        const isLate = (decision.steps ?? []).length > 0 && service.status !== undefined;
        return isLate ? { ...decision, status: service.status } : decision;
      }),
  },
  {
    name: 'a service of a former owner of the name is not ours',
    story: 'a late step of a rolling update, after its owner was deleted and recreated',
    caughtBy: orphaned,
    plant: () =>
      replace<typeof owning.ownershipOf>('ownershipOf', (original) => (input) => {
        const { uid } = input.service.metadata;
        const observed = input.observed.filter(({ mark }) => mark === undefined || mark.uid === uid);
        return original({ ...input, observed });
      }),
  },
  {
    name: 'the finalizer is removed before the platform confirms',
    story: 'delete, also during creation',
    caughtBy: leftBehind,
    plant: () =>
      replace<typeof cleanups.planCleanup>('planCleanup', (original) => (input) => ({
        ...original(input),
        isClean: true,
      })),
  },
  {
    name: 'a late creation is not deleted',
    story: 'delete, also during creation',
    caughtBy: orphaned,
    faults: late('POST /service', 20_000),
    plant: () => patch(OwnerRecords.prototype, () => ({ releasedUid: () => undefined, lateCreationMs: () => 0 })),
  },
  {
    name: 'a deletion that was started counts as done',
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
    name: 'every service is ours',
    story: 'do not change a foreign service',
    caughtBy: touched,
    plant: () => replace<typeof marks.isOurs>('isOurs', () => () => true),
  },
  {
    name: 'a service is adopted without the annotation',
    story: 'do not change a foreign service',
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
    name: 'names of rollouts are random',
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
    name: 'manual changes are not detected',
    story: 'correct manual changes, stops and deletions',
    caughtBy: wanted,
    plant: () => replace<typeof differing.differences>('differences', () => () => []),
  },
  {
    name: 'stopped instances are not started',
    story: 'correct manual changes, stops and deletions',
    caughtBy: wanted,
    plant: () => replace<typeof healing.heal>('heal', () => () => ({ actions: [] })),
  },
  {
    name: 'a failed deployment is not repeated',
    story: 'deployments that fail at first',
    caughtBy: wanted,
    plant: () =>
      replace<typeof problems.problemsOf>(
        'problemsOf',
        (original) => (owned) => original(owned).filter(({ reason }) => reason !== 'DeploymentFailed'),
      ),
  },
  {
    name: 'the timeout of a call starts while it waits for a slot',
    story: 'a rolling update of many services over a slow link',
    caughtBy: denied,
    plant: () =>
      replace<typeof links.linkOf>('linkOf', (original) => (options) => {
        const link = original(options);
        const { transport } = link.breaker;
        const send: Transport['send'] = transport.send;
        transport.send = (request, { queued: _, ...rest }) => send(request, rest);
        return link;
      }),
  },
  {
    name: 'a lost call counts although others were answered since',
    story: 'a rolling update of many services over a slow link',
    caughtBy: denied,
    plant: () =>
      replace<typeof links.linkOf>('linkOf', (original) => (options) => {
        // A call that fails immediately counts in any case.
        const failing = '/failing';
        const error = new ApiError('Timeout', { what: failing, timeoutMs: 1 });
        const inner: Transport = {
          send: (request, rest) =>
            request.target === failing ? Promise.reject(error) : options.transport.send(request, rest),
          close: () => options.transport.close(),
        };
        const link = original({ ...options, transport: inner });
        const { transport } = link.breaker;
        const send: Transport['send'] = transport.send;
        transport.send = async (request, rest) => {
          try {
            return await send(request, rest);
          } catch (error) {
            const again = { method: 'GET', target: failing, headers: {} } as const;
            if (isLinkFailure(error)) await send(again, { ...rest, signal: neverAborted }).catch(() => {});
            throw error;
          }
        };
        return link;
      }),
  },
  {
    name: 'a lost link is never probed again',
    story: 'the platform unreachable for an hour',
    caughtBy: wanted,
    plant: () => patch(CircuitBreaker.prototype, () => ({ run: () => new Promise<void>(() => {}) })),
  },
  {
    name: 'the poller enqueues no owner',
    story: 'correct manual changes, stops and deletions',
    // The sweep of all instances, an hour later, would detect it.
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
    name: 'a message contains the time',
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
    name: 'an unchanged service enqueues its owner',
    story: 'create',
    caughtBy: called,
    plant: () => {
      // Otherwise an unchanged service is not even compared.
      const remembered = patch(ListMemory.prototype, () => ({ keyOf: () => undefined, taggedPage: () => undefined }));
      const compared = patch(ServiceRecords.prototype, (original) => ({
        compare(this: ServiceRecords, row, updatedMs, poll) {
          const seen = original.compare.call(this, row, updatedMs, poll);
          return seen === 'same' ? 'changed' : seen;
        },
      }));
      return () => {
        compared();
        remembered();
      };
    },
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
    name: 'an edit during an update is ignored',
    story: 'two edits during a rolling update',
    caughtBy: wanted,
    plant: () => {
      const targets = new Map<string, ReturnType<typeof revisions.revisionOf>>();
      return replace<typeof revisions.revisionOf>('revisionOf', (original) => (service) => {
        const { uid } = service.metadata;
        const isRolling = service.status?.currentRevision !== service.status?.updateRevision;
        const revision = (isRolling ? targets.get(uid) : undefined) ?? original(service);
        targets.set(uid, revision);
        return revision;
      });
    },
  },
  {
    name: 'a pause is ignored',
    story: 'pause and resume a rolling update',
    caughtBy: 'a paused service stays unchanged',
    plant: () =>
      replace<typeof plans.plan>('plan', (original) => (input) => {
        const { service } = input;
        return original({ ...input, service: { ...service, spec: { ...service.spec, paused: false } } });
      }),
  },
  {
    name: 'an unknown reason',
    story: 'create',
    caughtBy: 'every reason is in the table',
    plant: () =>
      replace<typeof said.conditionsOf>(
        'conditionsOf',
        (original) => (findings) => original(findings).map((one) => ({ ...one, reason: `${one.reason}Really` })),
      ),
  },
  {
    name: 'concurrent calls are not limited',
    story: 'correct manual changes, stops and deletions',
    caughtBy: 'concurrent calls are limited',
    plant: () =>
      replace<typeof settings.operatorSettings>('operatorSettings', (original) => (input) => ({
        ...original(input),
        inFlightMax: 1_000,
      })),
  },
  {
    name: 'a refused factor of 0 is sent repeatedly',
    story: 'scale to 0 and stay there',
    caughtBy: wanted,
    behaviour: { factorZero: 'refuse' },
    plant: () =>
      replace<typeof sendSteps.sendStep>('sendStep', (original) => (step, ...rest) => {
        const { ifRefused: _, ...plain } = step.do === 'update' ? step : { ...step, ifRefused: undefined };
        return original(plain, ...rest);
      }),
  },
];
