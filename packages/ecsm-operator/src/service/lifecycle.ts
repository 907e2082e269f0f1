/** Decisions about one platform service: create it, correct it with one update, scale it to 0. */
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
  /** Attempts of an update that was sent and is not visible. */
  readonly healing?: Healing;
  readonly dueMs?: number;
  /** Fields that repeated updates did not change. */
  readonly notKept?: readonly Difference[];
  /** What a paused service waits for. */
  readonly waiting?: string;
}

export const nothing: Decision = { actions: [] };

/** There is no service of ours yet, or it was deleted. */
export function create(situation: Situation): Decision {
  const { input, base } = situation;
  const { service, revision, revisions } = input;
  const current = service.status?.currentRevision;
  if (!service.spec.paused) {
    const body = rendered(situation, base, revision);
    if (current !== undefined) return recreate(body);
    return { actions: [creation(body, 'it does not exist yet', `created ${base}`)] };
  }
  // A service that was rolled out before is recreated from the same revision; a change of the template waits.
  const known = current === undefined ? undefined : revisions.get(current);
  if (known === undefined) return { ...nothing, waiting: 'spec.paused to be false before it is created' };
  return recreate(rendered(situation, base, known));
}

function recreate(body: ServiceBody): Decision {
  const why = 'it was deleted on the platform';
  return { actions: [creation(body, why, `recreated ${body.name}: ${why}`)] };
}

/** The service has no owner mark, and the annotation asks to adopt it. The update adds the mark. */
export function adopt(situation: Situation, { service }: Owned): Decision {
  const { input } = situation;
  if (input.service.spec.paused)
    return { ...nothing, waiting: `spec.paused to be false before ${service.name} is adopted` };
  const body = rendered(situation, service.name, input.revision);
  return settle(situation, differences(body, service.detail), (found) =>
    change(service, body, 'Adopted', `adopted: ${joined(found)}`),
  );
}

/** Corrects the only service with one update. */
export function correct(situation: Situation, owned: Owned): Decision {
  const { service } = owned;
  const body = bodyOf(situation, owned, nextSize(situation, owned));
  if (body === undefined) return nothing;
  return settle(situation, differences(body, service.detail), (found) =>
    change(service, body, changeReason(situation, owned, found), joined(found)),
  );
}

/** Scales to 0. One service stays without instances if the platform allows it; otherwise it is deleted. */
export function empty(situation: Situation): Decision {
  const { owned, newest } = situation;
  const keeper = newest ?? owned[0];
  if (keeper === undefined) return nothing;
  const body = bodyOf(situation, keeper, { replicas: 0 });
  const others = owned.filter((one) => one !== keeper);
  const actions = others.map(({ service }) => removal(service, 'scaled to 0'));
  if (body === undefined) return { actions };
  const decision = settle(situation, differences(body, keeper.service.detail), (found) =>
    emptying(keeper.service, body, joined(found)),
  );
  return { ...decision, actions: [...actions, ...decision.actions] };
}

/** While it is paused, a service keeps its template. If that revision is no longer recorded, only the size changes. */
export function bodyOf(situation: Situation, owned: Owned, size: Size = {}): ServiceBody | undefined {
  const { input, wanted } = situation;
  const { service } = owned;
  const revision = revisionFor(situation, owned);
  if (revision !== undefined) {
    const body = rendered(situation, service.name, revision, size);
    // Until the template changes, an image that the platform has upgraded stays.
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
 * An update that was sent and is not visible is repeated only after a backoff: the platform may be slow, or ignore the
 * update, and a tight loop of updates would do more harm than the difference.
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
