/** Decisions about one platform service: create it, correct it with one update, scale it to 0. */
import type { ServiceBody } from '@ecsm/client';
import { type Difference, differences, isOfNodes, isOfSize } from '../resource/differences.ts';
import { keepUpgrade } from '../resource/upgrade.ts';
import { nextSize } from './capacity.ts';
import { type Healing, healingFor, waitLeftMs, withAttempt } from './healing-backoff.ts';
import type { RevisionContent } from './model.ts';
import { rendered, resized, type Size } from './payloads.ts';
import type { Owned, PlanContext } from './plan-context.ts';
import type { EventReason } from './reasons.ts';
import { change, creation, joined, removal, type StepWithEvent, scalingToZero } from './step-with-event.ts';

export interface Decision {
  readonly actions: readonly StepWithEvent[];
  /** Attempts of an update that was sent and is not visible. */
  readonly healing?: Healing;
  readonly dueMs?: number;
  /** Fields that repeated updates did not change. */
  readonly notKept?: readonly Difference[];
  /** What a paused service waits for. */
  readonly waiting?: string;
}

export const noActions: Decision = { actions: [] };

/** There is no service of ours yet, or it was deleted. */
export function create(context: PlanContext): Decision {
  const { input, base } = context;
  const { service, revision, revisions } = input;
  const current = service.status?.currentRevision;
  if (!service.spec.paused) {
    const body = rendered(context, base, revision);
    if (current !== undefined) return recreate(body);
    return { actions: [creation(body, 'it does not exist yet', `created ${base}`)] };
  }
  // A service that was rolled out before is recreated from the same revision; a change of the template waits.
  const known = current === undefined ? undefined : revisions.get(current);
  if (known === undefined) return { ...noActions, waiting: 'spec.paused to be false before it is created' };
  return recreate(rendered(context, base, known));
}

function recreate(body: ServiceBody): Decision {
  const why = 'it was deleted on the platform';
  return { actions: [creation(body, why, `recreated ${body.name}: ${why}`)] };
}

/** The service has no owner mark, and the annotation to adopt it is set. The update adds the mark. */
export function adopt(context: PlanContext, { service }: Owned): Decision {
  const { input } = context;
  if (input.service.spec.paused)
    return { ...noActions, waiting: `spec.paused to be false before ${service.name} is adopted` };
  const body = rendered(context, service.name, input.revision);
  return updateWithBackoff(context, differences(body, service.detail, input.showValues), (found) =>
    change(service, body, 'Adopted', `adopted: ${joined(found)}`),
  );
}

/** Corrects the only service with one update. */
export function correct(context: PlanContext, owned: Owned): Decision {
  const { service } = owned;
  const body = bodyOf(context, owned, nextSize(context, owned));
  if (body === undefined) return noActions;
  return updateWithBackoff(context, differences(body, service.detail, context.input.showValues), (found) =>
    change(service, body, changeReason(context, owned, found), joined(found)),
  );
}

/** Scales to 0. One service stays without instances if the platform allows it; otherwise it is deleted. */
export function scaleToZero(context: PlanContext): Decision {
  const { owned, newest } = context;
  const keeper = newest ?? owned[0];
  if (keeper === undefined) return noActions;
  const body = bodyOf(context, keeper, { replicas: 0 });
  const others = owned.filter((one) => one !== keeper);
  const actions = others.map(({ service }) => removal(service, 'scaled to 0'));
  if (body === undefined) return { actions };
  const decision = updateWithBackoff(
    context,
    differences(body, keeper.service.detail, context.input.showValues),
    (found) => scalingToZero(keeper.service, body, joined(found)),
  );
  return { ...decision, actions: [...actions, ...decision.actions] };
}

/** A static service has an instance on each of its nodes: without instances there is no service. */
export function removeAll({ owned, removals }: PlanContext): Decision {
  const leaving = new Set(removals.current.map(({ id }) => id));
  const rest = owned.filter(({ service }) => !leaving.has(service.id));
  return { actions: rest.map(({ service }) => removal(service, 'scaled to 0')) };
}

/** While it is paused, a service keeps its template. If that revision is no longer recorded, only the size changes. */
function bodyOf(context: PlanContext, owned: Owned, size: Size = {}): ServiceBody | undefined {
  const { input, wanted } = context;
  const { service } = owned;
  const revision = revisionFor(context, owned);
  if (revision !== undefined) {
    const body = rendered(context, service.name, revision, size);
    // Until the template changes, an image that the platform has upgraded stays.
    return owned.revision === revision.hash ? keepUpgrade(body, service.detail) : body;
  }
  const { replicas = wanted.replicas, nodeNames = wanted.nodeNames } = size;
  const isSamePolicy =
    service.policy === (input.service.spec.deploymentStrategy.type === 'Static' ? 'static' : 'dynamic');
  return isSamePolicy ? resized(service, { replicas, nodeNames }) : undefined;
}

function revisionFor({ input }: PlanContext, { revision }: Owned): RevisionContent | undefined {
  if (!input.service.spec.paused) return input.revision;
  return revision === undefined ? undefined : input.revisions.get(revision);
}

/**
 * An update that was sent and is not visible is repeated only after a backoff: the platform may be slow, or ignore the
 * update, and a tight loop of updates would do more harm than the difference.
 */
function updateWithBackoff(
  context: PlanContext,
  found: readonly Difference[],
  actionFor: (found: readonly Difference[]) => StepWithEvent,
): Decision {
  if (found.length === 0) return noActions;
  const { nowMs, settings } = context.input;
  const healing = healingFor(context.healing, 'Differs', nowMs);
  const dueMs = waitLeftMs(healing, 'Differs', nowMs, settings);
  const notKept = healing.attempts >= 2 ? { notKept: found } : {};
  if (dueMs > 0) return { actions: [], healing, dueMs, ...notKept };
  return { actions: [actionFor(found)], healing: withAttempt(healing, nowMs), ...notKept };
}

function changeReason({ input, lost }: PlanContext, { revision }: Owned, found: readonly Difference[]): EventReason {
  if (!input.service.spec.paused && revision !== input.revision.hash) return 'Updated';
  if (!found.every(isOfSize)) return 'Corrected';
  const isMove = lost.excluded.size > 0 && found.every(isOfNodes);
  return isMove ? 'Moved' : 'Scaled';
}
