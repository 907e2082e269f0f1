/** The life of one platform service: made, brought to what is wanted in one update, and emptied. */
import type { ServiceBody } from '@ecsm/client';
import { type Difference, differences, isOfNodes, isOfSize } from '../resource/differences.ts';
import { keepUpgrade } from '../resource/upgrade.ts';
import { nextSize } from './capacity.ts';
import type { RevisionContent } from './model.ts';
import { attempted, type Healing, noticed, waitLeftMs } from './patience.ts';
import { rendered, resized, type Size } from './payloads.ts';
import type { EventReason } from './reasons.ts';
import type { Owned, Situation } from './situation.ts';
import { change, creation, emptying, joined, removal, type StepWithEvent } from './step-with-event.ts';

export interface Decision {
  readonly actions: readonly StepWithEvent[];
  /** Of an update that the platform was sent and does not show. */
  readonly healing?: Healing;
  readonly dueMs?: number;
  /** What the platform does not keep although it was told. */
  readonly notKept?: readonly Difference[];
  /** What everything waits for. */
  readonly waiting?: string;
}

export const nothing: Decision = { actions: [] };

/** There is nothing of ours yet, or somebody removed it. */
export function create(situation: Situation): Decision {
  const { input, base } = situation;
  const { service, revision, revisions } = input;
  const current = service.status?.currentRevision;
  if (!service.spec.paused) {
    const why = current === undefined ? 'it is not there yet' : 'it is gone';
    return { actions: [creation(rendered(situation, base, revision), why)] };
  }
  // Something that was rolled out once is made again as it was; a change of the template waits.
  const known = current === undefined ? undefined : revisions.get(current);
  if (known === undefined) return { ...nothing, waiting: 'spec.paused to be false before it is made' };
  return { actions: [creation(rendered(situation, base, known), 'it is gone')] };
}

/** Nobody has marked it, and its owner wants us to have it. The update brings the mark. */
export function adopt(situation: Situation, { service }: Owned): Decision {
  const { input } = situation;
  if (input.service.spec.paused)
    return { ...nothing, waiting: `spec.paused to be false before ${service.name} is adopted` };
  const body = rendered(situation, service.name, input.revision);
  return settle(situation, differences(body, service.detail), (found) =>
    change(service, body, 'Adopted', `taken over: ${joined(found)}`),
  );
}

/** The only service there is gets whatever it lacks in one update. */
export function correct(situation: Situation, owned: Owned): Decision {
  const { service } = owned;
  const body = bodyOf(situation, owned, nextSize(situation, owned));
  if (body === undefined) return nothing;
  return settle(situation, differences(body, service.detail), (found) =>
    change(service, body, changeReason(situation, owned, found), joined(found)),
  );
}

/** No instances are wanted. One service stays, empty, if the platform allows it; none at all is as good. */
export function empty(situation: Situation): Decision {
  const { owned, newest } = situation;
  const keeper = newest ?? owned[0];
  if (keeper === undefined) return nothing;
  const body = bodyOf(situation, keeper, { replicas: 0 });
  const others = owned.filter((one) => one !== keeper);
  const actions = others.map(({ service }) => removal(service, 'no instances are wanted'));
  if (body === undefined) return { actions };
  const decision = settle(situation, differences(body, keeper.service.detail), (found) =>
    emptying(keeper.service, body, joined(found)),
  );
  return { ...decision, actions: [...actions, ...decision.actions] };
}

/** While it is paused, a service keeps the template that it has. If that is not known any more, only its size changes. */
export function bodyOf(situation: Situation, owned: Owned, size: Size = {}): ServiceBody | undefined {
  const { input, wanted } = situation;
  const { service } = owned;
  const revision = revisionFor(situation, owned);
  if (revision !== undefined) {
    const body = rendered(situation, service.name, revision, size);
    // Until the template changes, an image that the platform was allowed to upgrade stays.
    return owned.revision === revision.hash ? keepUpgrade(body, service.detail) : body;
  }
  const { replicas = wanted.replicas, nodeNames = wanted.nodeNames } = size;
  const isSamePolicy =
    service.policy === (input.service.spec.deploymentStrategy.type === 'Static' ? 'static' : 'dynamic');
  return isSamePolicy ? resized(service, { replicas, nodeNames }) : undefined;
}

function revisionFor({ input }: Situation, { revision }: Owned): RevisionContent | undefined {
  if (!input.service.spec.paused) return input.revision;
  return revision === undefined ? undefined : input.revisions.get(revision);
}

/**
 * An update that was sent and does not show is not sent again at once: the platform may be slow, or it may never keep
 * what we ask for, and then a loop of updates would do more harm than the difference.
 */
function settle(
  situation: Situation,
  found: readonly Difference[],
  actionFor: (found: readonly Difference[]) => StepWithEvent,
): Decision {
  if (found.length === 0) return nothing;
  const { nowMs, settings } = situation.input;
  const healing = noticed(situation.healing, 'Differs', nowMs);
  const dueMs = waitLeftMs(healing, 'Differs', nowMs, settings);
  const notKept = healing.attempts >= 2 ? { notKept: found } : {};
  if (dueMs > 0) return { actions: [], healing, dueMs, ...notKept };
  return { actions: [actionFor(found)], healing: attempted(healing, nowMs), ...notKept };
}

function changeReason({ input, lost }: Situation, { revision }: Owned, found: readonly Difference[]): EventReason {
  if (!input.service.spec.paused && revision !== input.revision.hash) return 'Updated';
  if (!found.every(isOfSize)) return 'Corrected';
  const isMove = lost.excluded.size > 0 && found.every(isOfNodes);
  return isMove ? 'Moved' : 'Scaled';
}
