/**
 * Enlarges volumes when `spec.storage.size` grew. Only their claims: the claim template of a StatefulSet cannot be changed,
 * so the volume of a later slot is created with the former size, and enlarged once it is bound.
 */
import type { Decision, PassInput, SlotFacts } from '../model.ts';
import { act, blocked } from '../rule.ts';

/** Before other repairs: a member whose disk is full may need it to start. */
export function enlargement(input: PassInput): Decision | undefined {
  if (input.resizeRefused !== undefined) return undefined;
  const next = smaller(input)[0];
  if (next?.volume === undefined) return undefined;
  const { uid, requestBytes } = next.volume;
  const why = `its volume has ${requestBytes} bytes, and ${input.wanted.storageBytes} are wanted`;
  return act(input, { do: 'enlargeVolume', slot: next.index, uid, why });
}

/** After everything else, so that a refusal stops nothing. */
export function enlargementRefused(input: PassInput): Decision | undefined {
  const { resizeRefused } = input;
  const slots = smaller(input);
  if (resizeRefused === undefined || slots.length === 0) return enlargementFailed(input);
  const names = slots.map(({ podName }) => `data-${podName}`).join(', ');
  return blocked(input, 'StorageResizeBlocked', `volumes that are too small: ${names}; ${resizeRefused}`);
}

/** Kubernetes accepted the size, and the driver of the volume did not make it true. It tries again by itself. */
function enlargementFailed(input: PassInput): Decision | undefined {
  const failed = input.facts.slots.flatMap(({ podName, volume }) =>
    volume?.isOurs && volume.resizeError !== undefined ? [`data-${podName} (${volume.resizeError})`] : [],
  );
  if (failed.length === 0) return undefined;
  return blocked(input, 'StorageResizeBlocked', `volumes that could not be enlarged: ${failed.join(', ')}`);
}

/** A claim can only be changed while it is bound. */
function smaller({ wanted, facts, recorded }: PassInput): readonly SlotFacts[] {
  return facts.slots.filter(
    ({ index, volume }) =>
      volume?.isOurs &&
      recorded.parked?.[index] !== volume.uid &&
      !volume.isDeleting &&
      volume.phase === 'Bound' &&
      volume.requestBytes < wanted.storageBytes,
  );
}
