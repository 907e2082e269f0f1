/** Alarms: NOSPACE is answered by making room, CORRUPT of a known member by replacing it (see replacement). */
import type { EtcdStatus } from '../../client/etcd/contract.ts';
import { slotsInRange } from '../cluster/range.ts';
import type { ClusterFacts, Decision, Defragmentation, Finding, PassInput, SlotFacts, SpaceReclaim } from '../model.ts';
import { leaderSlot, successorOf } from '../recovery/replacement.ts';
import { act, blocked, normal, record, wait } from '../rule.ts';
import { rollout } from '../upgrade/rollout.ts';
import { isServing } from './quorum.ts';

/** Room is made only while the databases are below this part of the quota afterwards. */
const disarmBelow = 0.9;

function corruption(input: PassInput): Decision | undefined {
  const unknown = input.facts.alarms.some(({ type, memberId }) => type === 'CORRUPT' && memberId === '0');
  if (!unknown) return undefined;
  const message =
    'members have different data, and etcd cannot tell which one is right; compare them, then restore a backup or remove the wrong member';
  return blocked(input, 'CorruptUnknownMember', message);
}

function space(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  const isFull = facts.alarms.some(({ type }) => type === 'NOSPACE');
  if (!isFull) {
    if (recorded.space === undefined) return undefined;
    const { space: _, ...rest } = recorded;
    return record(rest, [normal('AlarmDisarmed', 'the database is below its quota again')]);
  }
  if (facts.membership === undefined) return undefined;
  if (recorded.space === undefined) return record({ ...recorded, space: newCycle(input) });
  return makeRoom(input, recorded.space);
}

function newCycle({ facts }: PassInput): SpaceReclaim {
  return { startedAtMs: facts.nowMs, revision: String(newestRevision(facts)), compacted: [], defragmented: [] };
}

function newestRevision({ slots }: ClusterFacts): bigint {
  return slots.filter(isServing).reduce((newest, { status }) => later(newest, status?.revision ?? 0n), 0n);
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/**
 * A member deletes the history some time after it was compacted, and only then its file can shrink: so each of them is
 * asked until it has deleted it, before the first one is defragmented.
 */
function makeRoom(input: PassInput, current: SpaceReclaim): Decision {
  const { facts, recorded, wanted, settings } = input;
  const { compacted, defragmented } = current;
  // Members were read before the alarms when the cycle started, and may have been filled in between.
  const revision =
    compacted.length === 0 ? later(newestRevision(facts), BigInt(current.revision)) : BigInt(current.revision);
  const limitBytes = wanted.quotaBytes * disarmBelow;
  const serving = facts.slots.filter(isServing);
  const problem: Finding = { reason: 'DatabaseQuotaExceeded', message: sizesOf(input) };
  const done = (space: Partial<SpaceReclaim>) => ({
    problem,
    afterwards: { ...recorded, space: { ...current, ...space } },
  });
  const next = nextToDefragment(
    input,
    serving.filter(({ index }) => !compacted.includes(index)),
  );
  if (next) {
    const why = `old revisions fill the database of ${next.podName}`;
    return act(
      input,
      { do: 'compact', slot: next.index, revision, why },
      done({ revision: String(revision), compacted: [...compacted, next.index] }),
    );
  }
  const large = nextToDefragment(
    input,
    serving.filter(({ index, status }) => !defragmented.includes(index) && (status?.dbSizeBytes ?? 0) >= limitBytes),
  );
  if (large) {
    const action = { do: 'defragment', slot: large.index, why: 'the database is full' } as const;
    return act(input, action, done({ defragmented: [...defragmented, large.index] }));
  }
  // Members have the quota that they were started with: with a smaller one they would raise the alarm again.
  const isUpgrading = serving.some(({ status }) => status?.version !== recorded.version);
  const restart = isUpgrading ? undefined : rollout(input);
  if (restart) return { ...restart, problem };
  if (!isUpgrading && isBetweenRestarts(input)) {
    return wait(input, 'Updating', 'waiting for a member that restarts with the new configuration', { problem });
  }
  const alarm = facts.alarms.find(({ type }) => type === 'NOSPACE');
  const isBelow = serving.every(({ status }) => status !== undefined && status.dbSizeBytes < limitBytes);
  if (alarm && isBelow)
    return act(input, { do: 'disarm', alarm, why: 'the databases are below the quota' }, { problem });
  const elapsedMs = facts.nowMs - current.startedAtMs;
  // Keys can be deleted while the alarm is raised, which a user was asked for: what they had is discarded soon.
  const isChanged = newestRevision(facts) > revision && elapsedMs >= settings.restMs;
  if (isChanged || elapsedMs >= settings.spaceCycleMs) return record({ ...recorded, space: newCycle(input) });
  const isLive = serving.some(({ status }) => status !== undefined && status.dbSizeInUseBytes >= limitBytes);
  const message = isLive
    ? `${problem.message}; the live data fills the quota: delete keys or raise spec.etcd.quotaBackendBytes`
    : `${problem.message}; the history was deleted, and the files did not shrink: trying again`;
  return wait(input, 'DatabaseQuotaExceeded', message, { problem: { ...problem, message } });
}

/** While others have their former quota. A restart that does not end is not waited for: nothing would replace the member. */
function isBetweenRestarts({ facts, recorded: { operation }, templateHash, settings }: PassInput): boolean {
  if (operation?.type !== 'Restart' || facts.nowMs - operation.startedAtMs >= settings.spaceCycleMs) return false;
  return slotsInRange(facts).some(({ pod }) => pod && pod.templateHash !== templateHash);
}

/** Followers first, the highest slot first; the leader last. */
function nextToDefragment(input: PassInput, slots: readonly SlotFacts[]): SlotFacts | undefined {
  const leader = leaderSlot(input);
  const followers = slots.filter(({ index }) => index !== leader?.index);
  return followers.at(-1) ?? slots[0];
}

/** Of the largest database. */
function sizesOf({ facts, wanted }: PassInput): string {
  const statuses = facts.slots.flatMap(({ status }) => status ?? []).sort((a, b) => b.dbSizeBytes - a.dbSizeBytes);
  const { dbSizeBytes = 0, dbSizeInUseBytes = 0 } = statuses[0] ?? {};
  return `the database has ${dbSizeBytes} bytes of a quota of ${wanted.quotaBytes}, ${dbSizeInUseBytes} of them in use`;
}

function isWorth({ freeBytesMin, usedBytesMin, reclaimBytesMin }: Defragmentation, status: EtcdStatus): boolean {
  const freeBytes = status.dbSizeBytes - status.dbSizeInUseBytes;
  return freeBytes >= freeBytesMin || (status.dbSizeBytes >= usedBytesMin && freeBytes >= reclaimBytesMin);
}

/** At rest: frees what compaction left behind, one member at a time. */
function defragmentation(input: PassInput): Decision | undefined {
  const { wanted, facts } = input;
  const rule = wanted.defragmentation;
  if (rule === undefined) return undefined;
  const worth = facts.slots.filter(({ status }) => status !== undefined && isWorth(rule, status));
  const next = nextToDefragment(input, worth);
  if (next === undefined) return undefined;
  const leader = leaderSlot(input);
  const successor = leader?.index === next.index ? successorOf(input, next) : undefined;
  if (successor?.member) {
    const why = `${next.podName} is defragmented`;
    return act(input, { do: 'moveLeader', slot: successor.index, memberId: successor.member.id, why });
  }
  const free = (next.status?.dbSizeBytes ?? 0) - (next.status?.dbSizeInUseBytes ?? 0);
  const why = `${free} bytes can be freed`;
  return act(
    input,
    { do: 'defragment', slot: next.index, why },
    {
      events: [normal('Defragmented', `defragmenting ${next.podName}: ${why}`)],
    },
  );
}

/** The rules, in the order of `nextAction`. */
export const HealthService = { corruption, space, defragmentation };
