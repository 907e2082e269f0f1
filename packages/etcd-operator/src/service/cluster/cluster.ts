/**
 * A cluster as a whole: that what is observed is this cluster, how it forms, how it is deleted, and how large its volumes
 * are. Slot 0 forms it alone, as the first member; the others join one by one, as in any scale-up. On deletion the pods go
 * first, then the volumes if the policy says so. Members are not removed one by one: that needs a quorum, and nothing
 * remains of the cluster. Of volumes only the claims are enlarged: the claim template of a StatefulSet cannot be changed, so
 * the volume of a later slot is created with the former size, and enlarged once it is bound.
 */
import { type Condition, type FieldError, setCondition, timestampAt } from '@ecsm/runtime';
import type { EtcdCluster, EtcdClusterStatus } from '../../apis/etcd-cluster.ts';
import type { Decision, PassInput, SlotFacts } from '../model.ts';
import { act, blocked, finished, normal, record, wait } from '../rule.ts';
import { brokenTemplate } from '../upgrade/rollout.ts';
import { isInRange, type Range, slotAt } from './range.ts';

function identity(input: PassInput): Decision | undefined {
  const { facts, recorded, wanted } = input;
  const { set, slots, clusterIds } = facts;
  if (set && !set.isOurs) {
    return blocked(input, 'ForeignObjects', 'a StatefulSet of this name exists that belongs to something else');
  }
  const foreign = slots.filter(
    ({ index, volume }) => volume?.isOurs === false && (index < wanted.size || recorded.volumes[index] !== undefined),
  );
  if (foreign.length > 0) {
    const names = foreign.map(({ podName }) => `data-${podName}`).join(', ');
    const message = `volumes of an earlier cluster of this name exist: ${names}; delete them, or choose another name`;
    return blocked(input, 'VolumesExist', message);
  }
  const others = clusterIds.filter((id) => id !== recorded.clusterId);
  if (recorded.clusterId !== undefined && others.length > 0) {
    const message = `members report the cluster id ${others.join(', ')}; this cluster has the id ${recorded.clusterId}`;
    return blocked(input, 'ClusterIDMismatch', message);
  }
  if (input.foreignObjects.length > 0) {
    const message = `objects with names of this cluster belong to something else: ${input.foreignObjects.join(', ')}`;
    // Those of an earlier cluster of the name are being deleted by Kubernetes.
    return wait(input, 'ForeignObjects', message, { problem: { reason: 'ForeignObjects', message } });
  }
  return undefined;
}

/** A StatefulSet that was deleted is created again, for the slots that have members; one that was scaled gets them back. */
function missingSet(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  const { set } = facts;
  const known = Object.keys(recorded.volumes).map(Number);
  if (set === undefined) {
    return act(input, { do: 'createSet', ...rangeOf(known), why: 'the StatefulSet was deleted' });
  }
  const missing = known.filter((index) => !isInRange(set, index) && isMember(input, index));
  if (missing.length === 0) return undefined;
  const present = set.replicas === 0 ? [] : [set.start, set.start + set.replicas - 1];
  const why = `the StatefulSet was scaled: slots with members are ${missing.join(', ')}, too`;
  return act(input, { do: 'setRange', ...rangeOf([...present, ...missing]), why });
}

/** Not one that is being removed: its pod is stopped before its volume is forgotten. */
function isMember({ facts, recorded: { operation } }: PassInput, index: number): boolean {
  if (facts.membership === undefined) return operation?.type !== 'RemoveMember' || operation.slot !== index;
  const member = slotAt(facts, index)?.member;
  return member !== undefined && !member.isLearner;
}

function rangeOf(slots: readonly number[]): Range {
  const start = Math.min(...slots);
  return { start, replicas: Math.max(...slots) - start + 1 };
}

function bootstrap(input: PassInput): Decision | undefined {
  const { wanted, recorded, facts } = input;
  const { set } = facts;
  if (recorded.clusterId !== undefined) return undefined;
  if (wanted.size === 0 && set === undefined) return { recorded, events: [] };
  if (recorded.operation?.type !== 'Bootstrap') {
    const operation = { type: 'Bootstrap', slot: 0, startedAtMs: facts.nowMs } as const;
    return record({ ...recorded, version: recorded.version ?? wanted.version, operation });
  }
  if (recorded.version !== wanted.version) return record({ ...recorded, version: wanted.version });
  if (set === undefined) return act(input, { do: 'createSet', start: 0, replicas: 1, why: 'the first member starts' });
  if (set.start !== 0 || set.replicas !== 1) {
    return act(input, { do: 'setRange', start: 0, replicas: 1, why: 'the first member forms the cluster alone' });
  }
  return brokenTemplate(input) ?? latch(input);
}

/** The id is recorded once, and from then on no member may form a cluster. */
function latch(input: PassInput): Decision {
  const { recorded, facts } = input;
  const { membership } = facts;
  const first = slotAt(facts, 0);
  if (membership === undefined || first?.volume === undefined) {
    return wait(input, 'WaitingForPod', `waiting for ${first?.podName ?? 'the first pod'} to form the cluster`);
  }
  const [member, ...others] = membership.members;
  if (member === undefined || others.length > 0 || member.id !== first.member?.id || member.isLearner) {
    const found = membership.members.map(({ name, peerURLs }) => name || peerURLs.join(',')).join(', ');
    return blocked(input, 'ForeignMember', `a new cluster has other members than its first one: ${found}`);
  }
  return record({ ...finished(recorded), clusterId: membership.clusterId, volumes: { 0: first.volume.uid } }, [
    normal('ClusterCreated', `cluster ${membership.clusterId} formed by ${first.podName}`),
  ]);
}

function deletion(input: PassInput): Decision | undefined {
  const { wanted, facts } = input;
  if (!wanted.isDeleting) return undefined;
  const { set } = facts;
  if (set?.isOurs && !set.isDeleting) return act(input, { do: 'deleteSet', why: 'the cluster is deleted' });
  // Pods of a set that is not ours are left alone.
  const pods = facts.slots.filter(({ pod }) => pod !== undefined && (set === undefined || set.isOurs));
  if (set?.isOurs || pods.length > 0) {
    return wait(input, 'Deleting', `waiting until ${pods.length} pods are deleted`);
  }
  if (wanted.whenDeleted === 'Delete') {
    for (const { index, podName, volume } of facts.slots) {
      if (volume === undefined || !volume.isOurs) continue;
      if (volume.isDeleting) return wait(input, 'Deleting', `waiting until the volume of ${podName} is deleted`);
      return act(input, { do: 'deleteVolume', slot: index, uid: volume.uid, why: 'the cluster is deleted' });
    }
  }
  return act(input, { do: 'removeFinalizer', why: 'nothing of the cluster is left' });
}

/** Before other repairs: a member whose disk is full may need it to start. */
function enlargement(input: PassInput): Decision | undefined {
  if (input.resizeRefused !== undefined) return undefined;
  const next = smaller(input)[0];
  if (next?.volume === undefined) return undefined;
  const { uid, requestBytes } = next.volume;
  const why = `its volume has ${requestBytes} bytes, and ${input.wanted.storageBytes} are wanted`;
  return act(input, { do: 'enlargeVolume', slot: next.index, uid, why });
}

/** After everything else, so that a refusal stops nothing. */
function enlargementRefused(input: PassInput): Decision | undefined {
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

/** Errors of an invalid spec in a condition. */
const shownMax = 5;

/** The status of a cluster whose spec is not valid. A server with the definition refuses most of them; others arrive here. */
export function invalidStatus(
  { status, metadata }: EtcdCluster,
  errors: readonly FieldError[],
  nowMs: number,
): EtcdClusterStatus {
  const shown = errors.slice(0, shownMax).map(({ path, message }) => `${path}: ${message}`);
  const more = errors.length > shownMax ? [`and ${errors.length - shownMax} more`] : [];
  const message = [...shown, ...more].join('; ');
  const observedGeneration = metadata.generation;
  const conditions = (['Ready', 'Degraded'] as const).reduce<readonly Condition[]>(
    (all, type) =>
      setCondition(
        all,
        { type, status: type === 'Degraded' ? 'True' : 'False', reason: 'InvalidSpec', message, observedGeneration },
        timestampAt(nowMs),
      ),
    status?.conditions ?? [],
  );
  return { ...status, conditions, observedGeneration };
}

/** The rules, in the order of `nextAction`. */
export const ClusterService = { deletion, identity, bootstrap, missingSet, enlargement, enlargementRefused };
