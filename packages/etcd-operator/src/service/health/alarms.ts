/** Alarms: NOSPACE is answered by making room, CORRUPT of a known member by replacing it (see replacement). */
import type { EtcdStatus } from '../../client/etcd/contract.ts';
import { slotsInRange } from '../cluster/range.ts';
import type { Decision, Defragmentation, Finding, PassInput, SlotFacts, SpaceReclaim } from '../model.ts';
import { leaderSlot, successorOf } from '../recovery/replacement.ts';
import { act, blocked, normal, record, wait } from '../rule.ts';
import { rollout } from '../upgrade/rollout.ts';
import { isServing } from './quorum.ts';

/** Room is made only while the databases are below this part of the quota afterwards. */
const disarmBelow = 0.9;

export function corruption(input: PassInput): Decision | undefined {
  const unknown = input.facts.alarms.some(({ type, memberId }) => type === 'CORRUPT' && memberId === '0');
  if (!unknown) return undefined;
  const message =
    'members have different data, and etcd cannot tell which one is right; compare them, then restore a backup or remove the wrong member';
  return blocked(input, 'CorruptUnknownMember', message);
}

export function space(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  const isFull = facts.alarms.some(({ type }) => type === 'NOSPACE');
  if (!isFull) {
    if (recorded.space === undefined) return undefined;
    const { space: _, ...rest } = recorded;
    return record(rest, [normal('AlarmDisarmed', 'the database is below its quota again')]);
  }
  if (facts.membership === undefined) return undefined;
  if (recorded.space === undefined) {
    const next: SpaceReclaim = { startedAtMs: facts.nowMs, isCompacted: false, defragmented: [] };
    return record({ ...recorded, space: next });
  }
  return makeRoom(input, recorded.space);
}

function makeRoom(input: PassInput, current: SpaceReclaim): Decision {
  const { facts, recorded, settings } = input;
  const serving = facts.slots.filter(isServing);
  const problem: Finding = { reason: 'DatabaseQuotaExceeded', message: sizesOf(input) };
  if (!current.isCompacted) {
    const revision = serving.reduce(
      (most, { status }) => (status && status.revision > most ? status.revision : most),
      0n,
    );
    const compacted = { ...recorded, space: { ...current, isCompacted: true } };
    return act(
      input,
      { do: 'compact', revision, why: 'old revisions fill the database' },
      { recorded: compacted, problem },
    );
  }
  const next = nextToDefragment(
    input,
    serving.filter(({ index }) => !current.defragmented.includes(index)),
  );
  if (next) {
    const defragmented = [...current.defragmented, next.index];
    return act(
      input,
      { do: 'defragment', slot: next.index, why: 'the database is full' },
      { recorded: { ...recorded, space: { ...current, defragmented } }, problem },
    );
  }
  // Members have the quota that they were started with: with a smaller one they would raise the alarm again.
  const isUpgrading = serving.some(({ status }) => status?.version !== recorded.version);
  const restart = isUpgrading ? undefined : rollout(input);
  if (restart) return { ...restart, problem };
  if (!isUpgrading && isBetweenRestarts(input)) {
    return wait(input, 'Updating', 'waiting for a member that restarts with the new configuration', { problem });
  }
  const alarm = facts.alarms.find(({ type }) => type === 'NOSPACE');
  const isBelow = serving.every(
    ({ status }) => status !== undefined && status.dbSizeBytes < input.wanted.quotaBytes * disarmBelow,
  );
  if (alarm && isBelow)
    return act(input, { do: 'disarm', alarm, why: 'the databases are below the quota' }, { problem });
  if (facts.nowMs - current.startedAtMs >= settings.spaceCycleMs) {
    const { space: _, ...rest } = recorded;
    return record(rest);
  }
  const message = `${problem.message}; the live data fills the quota: delete keys or raise spec.etcd.quotaBackendBytes`;
  return wait(input, 'DatabaseQuotaExceeded', message, { problem: { ...problem, message } });
}

/** While others have their former quota. A restart that does not end is not waited for: nothing would replace the member. */
function isBetweenRestarts({ facts, recorded: { operation }, templateHash, settings }: PassInput): boolean {
  if (operation?.type !== 'Restart' || facts.nowMs - operation.startedAtMs >= settings.spaceCycleMs) return false;
  return slotsInRange(facts).some(({ pod }) => pod && pod.templateHash !== templateHash);
}

/** Followers first, the highest slot first; the leader last. */
export function nextToDefragment(input: PassInput, slots: readonly SlotFacts[]): SlotFacts | undefined {
  const leader = leaderSlot(input);
  const followers = slots.filter(({ index }) => index !== leader?.index);
  return followers.at(-1) ?? slots[0];
}

function sizesOf({ facts, wanted }: PassInput): string {
  const most = Math.max(0, ...facts.slots.map(({ status }) => status?.dbSizeBytes ?? 0));
  return `the database has ${most} bytes of a quota of ${wanted.quotaBytes}`;
}

function isWorth({ freeBytesMin, usedBytesMin, reclaimBytesMin }: Defragmentation, status: EtcdStatus): boolean {
  const freeBytes = status.dbSizeBytes - status.dbSizeInUseBytes;
  return freeBytes >= freeBytesMin || (status.dbSizeBytes >= usedBytesMin && freeBytes >= reclaimBytesMin);
}

/** At rest: frees what compaction left behind, one member at a time. */
export function defragmentation(input: PassInput): Decision | undefined {
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
