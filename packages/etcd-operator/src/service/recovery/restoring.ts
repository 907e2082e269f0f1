/**
 * A restore, as far as the cluster is concerned. An EtcdRestore asks for it by an annotation, and its status says how far
 * it is; the cluster writes in its own status what it has done. All members stop before the restore begins, and its member
 * runs in a slot above all others, so that the former volumes stay as they are. Until the restore is confirmed, the former
 * members can be started again.
 */
import { slotAt } from '../cluster/range.ts';
import { isServing } from '../health/quorum.ts';
import type { ClusterFacts, Decision, PassInput, Recorded, RestoreRequest, Restoring } from '../model.ts';
import { act, blocked, normal, record, wait, warning } from '../rule.ts';

export function restoring(input: PassInput): Decision | undefined {
  const { recorded, wanted } = input;
  const { restore: request } = wanted;
  const current = recorded.restore;
  if (current === undefined) return request && begin(input, request);
  const isAsked = request?.uid === current.uid && request.step !== 'RollingBack' && request.step !== 'Done';
  if (!isAsked) return rollBack(input, current);
  switch (current.phase) {
    case 'Stopping':
      return stopAll(input, current);
    case 'Waiting':
      return awaitData(input, current, request);
    case 'Starting':
      return start(input, current, request);
  }
}

function begin(input: PassInput, request: RestoreRequest): Decision | undefined {
  const { recorded, facts, wanted } = input;
  const { name, uid, step } = request;
  const isNew = recorded.clusterId === undefined;
  if (uid !== undefined && uid === recorded.restoredFrom) return undefined;
  if (uid === undefined || step === undefined || step === 'RollingBack' || step === 'Done') {
    // A cluster that was created for a restore is never formed without its data.
    if (!isNew) return undefined;
    const message = `EtcdRestore ${name} does not exist or has ended: delete this cluster, or remove the annotation`;
    return blocked(input, 'RestoreMissing', message);
  }
  if (step !== 'Stopping' && step !== 'Creating') {
    return isNew ? wait(input, 'Restoring', `waiting for EtcdRestore ${name}`) : undefined;
  }
  const { start, size } = formerRange(input);
  const { clusterId, restoredFrom, volumes } = recorded;
  const restore: Restoring = {
    uid,
    phase: 'Stopping',
    slot: slotAbove(facts),
    startedAtMs: facts.nowMs,
    former: {
      start,
      size,
      volumes,
      ...(clusterId === undefined ? {} : { clusterId }),
      ...(restoredFrom === undefined ? {} : { restoredFrom }),
    },
  };
  const { operation: _, recovery: __, space: ___, quorumLostAtMs: ____, stopped: _____, ...rest } = recorded;
  const events = isNew ? [] : [warning('RestoreStarted', `EtcdRestore ${name} replaces the data: all members stop`)];
  return record({ ...rest, version: recorded.version ?? wanted.version, restore }, events);
}

function formerRange({ recorded: { stopped, volumes }, facts: { set } }: PassInput) {
  if (stopped) return stopped;
  if (set && set.replicas > 0) return { start: set.start, size: set.replicas };
  const known = Object.keys(volumes).map(Number);
  if (known.length === 0) return { start: 0, size: 0 };
  const start = Math.min(...known);
  return { start, size: Math.max(...known) - start + 1 };
}

/** Above everything that exists: no former volume is touched. */
function slotAbove({ slots, set }: ClusterFacts): number {
  const used = slots.filter(({ pod, volume, member }) => pod ?? volume ?? member).map(({ index }) => index);
  return Math.max(-1, ...used, set ? set.start + set.replicas - 1 : -1) + 1;
}

function stopAll(input: PassInput, current: Restoring): Decision {
  const { facts, recorded } = input;
  const stopping = stopSet(input, current.slot, 'all members stop before the data is replaced');
  if (stopping) return stopping;
  // Its id is not that of the members which start next.
  const { clusterId: _, ...rest } = recorded;
  if (facts.slots.some(({ pod }) => pod !== undefined)) return wait(input, 'Restoring', 'waiting until all pods stop');
  return record({ ...rest, restore: { ...current, phase: 'Waiting' } });
}

/** Undefined if nothing runs. */
function stopSet(input: PassInput, start: number, why: string): Decision | undefined {
  const { facts } = input;
  const { set } = facts;
  if (set && (set.replicas > 0 || set.start !== start)) return act(input, { do: 'setRange', start, replicas: 0, why });
  const pods = facts.slots.filter(({ pod }) => pod !== undefined);
  if (pods.length === 0) return undefined;
  return wait(input, 'Restoring', `waiting until ${pods.length} pods are stopped`);
}

function awaitData(input: PassInput, current: Restoring, { name, step, volumeUid }: RestoreRequest): Decision {
  const { facts, recorded } = input;
  const volume = slotAt(facts, current.slot)?.volume;
  if (step !== 'Starting') return wait(input, 'Restoring', `EtcdRestore ${name} restores the data (${step})`);
  if (volume === undefined || volume.uid !== volumeUid || volume.isDeleting) {
    return wait(input, 'Restoring', 'the volume with the restored data does not exist');
  }
  return record({ ...recorded, restore: { ...current, phase: 'Starting' } });
}

function start(input: PassInput, current: Restoring, { name, step, volumeUid }: RestoreRequest): Decision {
  const { facts, recorded } = input;
  const { set, membership } = facts;
  const { slot } = current;
  const first = slotAt(facts, slot);
  if (first?.volume === undefined || first.volume.uid !== volumeUid) {
    return wait(input, 'Restoring', 'the volume with the restored data does not exist');
  }
  if (set === undefined || set.start !== slot || set.replicas !== 1) {
    const why = 'the member with the restored data starts alone';
    return act(input, { do: set ? 'setRange' : 'createSet', start: slot, replicas: 1, why });
  }
  if (first.isDenied) {
    const message = 'the restored data has authentication enabled, and etcd refuses the operator';
    return blocked(input, 'AuthenticationRequired', message);
  }
  if (membership === undefined || first.status === undefined || !isServing(first)) {
    return wait(input, 'Restoring', `waiting for ${first.podName} to serve`);
  }
  if (current.revision === undefined) {
    const { status, keys } = first;
    const seen = { revision: String(status.revision), ...(keys === undefined ? {} : { keys }) };
    return record({ ...recorded, restore: { ...current, ...seen } });
  }
  if (step !== 'Growing') return wait(input, 'Restoring', `EtcdRestore ${name} compares the data`);
  const { restore: _, stopped: __, ...rest } = recorded;
  const { former } = current;
  const done: Recorded = {
    ...rest,
    clusterId: membership.clusterId,
    restoredFrom: current.uid,
    volumes: { [slot]: first.volume.uid },
    parked: { ...recorded.parked, ...former.volumes },
  };
  return record(done, [normal('ClusterRestored', `${first.podName} runs with the data of EtcdRestore ${name}`)]);
}

/** The restored member stops, and then the former ones are started, as after a stop. */
function rollBack(input: PassInput, current: Restoring): Decision {
  const { recorded } = input;
  const { former, slot } = current;
  const stopping = stopSet(input, slot, 'the restore has failed');
  if (stopping) return stopping;
  const { restore: _, clusterId: __, restoredFrom: ___, ...rest } = recorded;
  const { clusterId, restoredFrom, start, size, volumes } = former;
  if (clusterId === undefined) return record({ ...rest, volumes: {} });
  const before: Recorded = {
    ...rest,
    clusterId,
    volumes,
    stopped: { start, size },
    ...(restoredFrom === undefined ? {} : { restoredFrom }),
  };
  return record(before, [warning('RestoreCancelled', `the restore has failed: ${size} former members are started`)]);
}
