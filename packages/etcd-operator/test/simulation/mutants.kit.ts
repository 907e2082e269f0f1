/** Planted defects: mistakes that operators of etcd have made, each with the story that it spoils and what detects it. */

import { patch, replace } from '@ecsm/runtime/simulation';
import type { EtcdAlarmType, EtcdId, EtcdMemberList } from '../../src/client/etcd/contract.ts';
import { SimulatedClient } from '../../src/client/etcd/simulated/client.kit.ts';
import { EtcdState } from '../../src/client/etcd/simulated/state.kit.ts';
import { PodDisruptionBudgetManager } from '../../src/resource/disruption-budget.ts';
import type * as tls from '../../src/resource/tls-material.ts';
import type * as observing from '../../src/service/cluster/observation.ts';
import type * as ranges from '../../src/service/cluster/range.ts';
import type * as configs from '../../src/service/cluster/slot-config.ts';
import type * as wishes from '../../src/service/cluster/wanted.ts';
import type * as quorums from '../../src/service/health/quorum.ts';
import type { Action, Decision, PassInput, SlotFacts } from '../../src/service/model.ts';
import type * as said from '../../src/service/monitoring/status.ts';
import type * as decisions from '../../src/service/next-action.ts';
import { rules } from './rules.kit.ts';
import { asked, silent } from './scenario.kit.ts';
import { untold } from './users.kit.ts';

export interface Mutant {
  readonly name: string;
  readonly story: string;
  /** The oracles that detect such a defect. */
  readonly caughtBy: readonly string[];
  /** Plants the defect. Returns a function that removes it. */
  readonly plant: () => () => void;
  /** The first seed, for a defect that needs many of them. Default 1. */
  readonly firstSeed?: number;
}

/** Another decision, or another action of the same one. */
const deciding = (change: (decision: Decision, input: PassInput) => Decision) => () =>
  replace<typeof decisions.nextAction>('nextAction', (original) => (input) => change(original(input), input));

const acting = (change: (action: Action, input: PassInput) => Action | undefined) =>
  deciding((decision, input) => {
    const action = decision.action && change(decision.action, input);
    return action ? { ...decision, action } : decision;
  });

const believing = (change: (input: PassInput) => PassInput) => () =>
  replace<typeof decisions.nextAction>('nextAction', (original) => (input) => original(change(input)));

const wanting = (change: Partial<ReturnType<typeof wishes.wantedOf>>) => () =>
  replace<typeof wishes.wantedOf>('wantedOf', (original) => (cluster) => ({ ...original(cluster), ...change }));

const ignoring = (ignored: EtcdAlarmType) =>
  believing(({ facts, ...input }) => {
    return { ...input, facts: { ...facts, alarms: facts.alarms.filter(({ type }) => type !== ignored) } };
  });

/** A step makes a new authority and issues all certificates from it. */
const replacingAtOnce = (planted: tls.TlsStep) => () =>
  replace<typeof tls.afterStep>('afterStep', (original) => (issuer, material, step, ...rest) => {
    const authority = { current: issuer.createAuthority() };
    return original(
      issuer,
      step === planted ? { authority, leaves: {} } : material,
      step === planted ? 'RenewLeaves' : step,
      ...rest,
    );
  });

/** etcd does not serve the list of a learner to clients. One that is cut off has the list of the time when it joined. */
const believingLearners = () => {
  const lists = new Map<EtcdId, EtcdMemberList>();
  return replace<typeof observing.clusterFacts>('clusterFacts', (original) => (names, observed) => {
    const learner = [...observed.answers.values()].find(({ status }) => status?.isLearner)?.status?.memberId;
    if (learner === undefined || observed.members === undefined) return original(names, observed);
    const members = lists.get(learner) ?? observed.members;
    lists.set(learner, members);
    return original(names, { ...observed, members });
  });
};

const why = 'a planted defect';
/** The oracle of the simulation itself. */
const busy = 'becomes idle';

export const mutants: readonly Mutant[] = [
  {
    name: 'the replicas are set to the size at once',
    story: 'create',
    caughtBy: [rules.range],
    plant: acting((action, { wanted }) =>
      action.do === 'createSet' || action.do === 'setRange' ? { ...action, replicas: wanted.size } : undefined,
    ),
  },
  {
    name: 'members join as voters',
    story: 'create',
    caughtBy: [rules.learners],
    plant: () =>
      patch(EtcdState.prototype, (original) => ({
        apply(this: EtcdState, change) {
          return original.apply.call(this, change.type === 'add' ? { ...change, isLearner: false } : change);
        },
      })),
  },
  {
    name: 'a second member is added while a learner joins',
    story: 'create',
    caughtBy: [rules.changes],
    plant: deciding((decision, { facts }) => {
      const learner = facts.slots.find(({ member }) => member?.isLearner);
      if (learner === undefined || decision.waiting === undefined) return decision;
      const slot = learner.index + 1;
      const peerURL = learner.peerURL.replace(`-${learner.index}.`, `-${slot}.`);
      return { ...decision, action: { do: 'addLearner', slot, peerURL, why } };
    }),
  },
  {
    name: 'slot 0 forms a cluster whenever its volume is empty',
    story: 'disasters',
    caughtBy: [rules.second],
    plant: () =>
      replace<typeof configs.slotConfigs>('slotConfigs', (original) => (recorded, facts) => {
        const found = original(recorded, facts);
        return { ...found, slots: new Map([...found.slots, [0, { role: 'first' }]]) };
      }),
  },
  {
    name: 'members that have joined know their peers, and join again without their data',
    story: 'disasters',
    firstSeed: 22,
    caughtBy: [rules.identity],
    plant: () =>
      replace<typeof configs.slotConfigs>('slotConfigs', (original) => (recorded, facts) => {
        const found = original(recorded, facts);
        const initialCluster = facts.slots
          .flatMap(({ podName, member }) => member?.peerURLs.map((url) => `${podName}=${url}`) ?? [])
          .join();
        const joining = { role: 'joining', initialCluster } as const;
        const slots = [...found.slots].map(([slot, config]) => {
          return [slot, config.role === 'settled' ? joining : config] as const;
        });
        return { ...found, slots: new Map(slots) };
      }),
  },
  {
    name: 'the pod is stopped before its member is removed',
    story: 'walk over all sizes',
    caughtBy: [rules.quorum, asked, busy],
    plant: acting((action, { facts }) =>
      action.do === 'removeMember' && facts.set
        ? { do: 'setRange', start: facts.set.start, replicas: facts.set.replicas - 1, why }
        : undefined,
    ),
  },
  {
    name: 'the volume is deleted before its member is removed',
    story: 'walk over all sizes',
    caughtBy: [rules.volumes],
    plant: acting((action, { facts }) => {
      if (action.do !== 'removeMember') return undefined;
      const volume = facts.slots.find(({ index }) => index === action.slot)?.volume;
      return volume && !volume.isDeleting ? { do: 'deleteVolume', slot: action.slot, uid: volume.uid, why } : undefined;
    }),
  },
  {
    name: 'the first member is removed instead of the last',
    story: 'volumes that are retained',
    caughtBy: [rules.victims, asked, busy],
    plant: acting((action, { facts }) => {
      const first = facts.slots.find(({ member }) => member !== undefined)?.member;
      return action.do === 'removeMember' && first ? { ...action, memberId: first.id } : undefined;
    }),
  },
  {
    name: 'a member is restarted while another one is down',
    story: 'change of the configuration while a member is down',
    caughtBy: [rules.quorum],
    plant: () => replace<typeof quorums.mayStop>('mayStop', () => () => true),
  },
  {
    name: 'a stopped cluster is started with the size of the spec',
    story: 'stop and start, with a volume lost meanwhile',
    caughtBy: [asked, rules.range, rules.quorum],
    plant: believing((input) => {
      const { recorded, wanted } = input;
      if (recorded.stopped === undefined || wanted.size === 0) return input;
      return { ...input, recorded: { ...recorded, stopped: { ...recorded.stopped, size: wanted.size } } };
    }),
  },
  {
    name: 'unknown members are taken for none',
    story: 'a quorum lost for a while, without permission',
    caughtBy: [asked, rules.quorum, rules.volumes, rules.writes, rules.range],
    plant: () =>
      replace<typeof observing.clusterFacts>('clusterFacts', (original) => (...args) => {
        const facts = original(...args);
        return { ...facts, membership: facts.membership ?? { clusterId: '', members: [], leaderId: undefined } };
      }),
  },
  {
    name: 'volumes that are retained are deleted when the cluster shrinks',
    story: 'volumes that are retained',
    caughtBy: [rules.volumes],
    plant: wanting({ whenScaled: 'Delete' }),
  },
  {
    name: 'volumes that are retained are deleted with the cluster',
    story: 'delete at any step',
    caughtBy: [rules.volumes],
    plant: wanting({ whenDeleted: 'Delete' }),
  },
  {
    name: 'volumes are deleted when the cluster is stopped',
    story: 'stop and start, with a volume lost meanwhile',
    caughtBy: [rules.volumes],
    plant: deciding((decision, { facts, recorded, wanted }) => {
      const volume = facts.slots.find(({ volume, pod }) => volume && !volume.isDeleting && pod === undefined);
      if (recorded.stopped === undefined || wanted.size > 0 || volume?.volume === undefined) return decision;
      return { ...decision, action: { do: 'deleteVolume', slot: volume.index, uid: volume.volume.uid, why } };
    }),
  },
  {
    name: 'the survivor starts before the others have stopped',
    story: 'a quorum lost, and recovered with permission',
    caughtBy: [rules.recovery, asked],
    plant: believing((input) => {
      const { recovery } = input.recorded;
      if (recovery?.phase !== 'Stopping') return input;
      return { ...input, recorded: { ...input.recorded, recovery: { ...recovery, phase: 'Forcing' } } };
    }),
  },
  {
    name: 'volumes with the data of members are deleted by a recovery',
    story: 'nodes lost, and the quorum recovered while their volumes exist',
    caughtBy: [rules.volumes],
    plant: deciding((decision, { facts, recorded }) => {
      const { recovery, volumes } = recorded;
      if (recovery?.phase !== 'Cleaning') return decision;
      const slot = facts.slots.find(
        ({ index, volume }) => index !== recovery.survivor && volume?.uid === volumes[index],
      );
      if (slot?.volume === undefined) return decision;
      return { ...decision, recorded, action: { do: 'deleteVolume', slot: slot.index, uid: slot.volume.uid, why } };
    }),
  },
  {
    name: 'parked volumes are deleted before the cluster was ready for long',
    story: 'nodes lost, and the quorum recovered while their volumes exist',
    caughtBy: [rules.volumes],
    plant: believing((input) => ({ ...input, settings: { ...input.settings, parkedMs: 0 } })),
  },
  {
    name: 'a quorum is recovered while lost nodes may run members',
    story: 'nodes lost, and the quorum recovered while their volumes exist',
    caughtBy: [rules.processes],
    plant: believing(({ facts, ...input }) => {
      if (input.recorded.recovery) return { facts, ...input };
      const slots = facts.slots.map((slot) =>
        slot.pod && !slot.status ? { ...slot, pod: { ...slot.pod, waitingReason: 'Unknown' } } : slot,
      );
      return { ...input, facts: { ...facts, slots } };
    }),
  },
  {
    name: 'a quorum is recovered without permission',
    story: 'a quorum lost for a while, without permission',
    caughtBy: [rules.recovery],
    plant: wanting({ recoverFrom: 'auto' }),
  },
  {
    name: 'the status is written in each pass',
    story: 'create',
    caughtBy: [silent],
    plant: () =>
      replace<typeof said.statusOf>('statusOf', (original) => (cluster, input, decision) => ({
        ...original(cluster, input, decision),
        lastUpdateTime: new Date(input.facts.nowMs).toISOString(),
      })),
  },
  {
    name: 'authority and certificates are replaced at once',
    story: 'certificates over years',
    caughtBy: [rules.certificates, rules.clients],
    plant: replacingAtOnce('IntroduceAuthority'),
  },
  {
    name: 'an authority without its key is replaced at once',
    story: 'the authority lost',
    caughtBy: [rules.certificates, rules.clients],
    plant: replacingAtOnce('CreateAuthority'),
  },
  {
    name: 'an authority of a backup issues at once',
    story: 'the authority lost',
    caughtBy: [rules.certificates, rules.clients],
    plant: () =>
      replace<typeof tls.usable>('usable', (original) => (issuer, material) => {
        const { spare, ...rest } = original(issuer, material);
        return spare ? { ...rest, authority: { current: spare } } : rest;
      }),
  },
  {
    name: 'a new authority issues before clients trust it',
    story: 'the authority lost',
    caughtBy: [rules.clients],
    plant: believing((input) => ({ ...input, settings: { ...input.settings, deliveryMs: 0 } })),
  },
  {
    name: 'a member that refuses a certificate counts as lost',
    story: 'an operator whose certificate is refused for a while',
    caughtBy: [rules.honest],
    plant: believing(({ facts, ...input }) => {
      const unready = (slot: SlotFacts) => (slot.pod ? { ...slot, pod: { ...slot.pod, isReady: false } } : slot);
      const slots = facts.slots.map((slot) => ({ ...unready(slot), isUntrusted: false }));
      return { ...input, facts: { ...facts, slots } };
    }),
  },
  {
    name: 'a cluster is recovered whose members run',
    story: 'an operator whose certificate is refused for a while',
    caughtBy: [rules.recovery, rules.honest],
    plant: believing(({ facts, ...input }) => {
      const dead = (slot: SlotFacts) =>
        slot.pod ? { ...slot, pod: { ...slot.pod, isReady: false, phase: 'Failed' as const } } : slot;
      const slots = facts.slots.map((slot) => ({ ...dead(slot), isUntrusted: false }));
      return { ...input, facts: { ...facts, slots } };
    }),
  },
  {
    name: 'a pause is ignored',
    story: 'pause in the middle of a change',
    caughtBy: [rules.paused],
    plant: wanting({ isPaused: false }),
  },
  {
    name: 'a full database is left full',
    story: 'a full database',
    caughtBy: [asked],
    plant: ignoring('NOSPACE'),
  },
  {
    name: 'a compaction is not waited for',
    story: 'a full database',
    caughtBy: [rules.space],
    plant: () =>
      patch(SimulatedClient.prototype, (original) => ({
        async compact(this: SimulatedClient, ...args) {
          original.compact.apply(this, args).catch(() => {});
        },
      })),
  },
  {
    name: 'a step of making room is recorded before it is done',
    story: 'a full database',
    caughtBy: [rules.space],
    plant: deciding(({ afterwards, ...decision }) => ({ ...decision, recorded: afterwards ?? decision.recorded })),
  },
  {
    name: 'a defragmentation ends with the change of the leader before it',
    story: 'files that can shrink, also that of the leader',
    caughtBy: [untold],
    plant: deciding(({ action, ...decision }) => {
      if (action === undefined || action.do === 'moveLeader') return decision;
      return { ...decision, action };
    }),
  },
  {
    name: 'a dead member is waited for',
    story: 'a smaller size or a stop while a member is dead for good',
    caughtBy: [untold],
    plant: () => replace<typeof quorums.isDead>('isDead', () => () => false),
  },
  {
    name: 'a member that serves is removed instead of a dead one',
    story: 'a smaller size or a stop while a member is dead for good',
    caughtBy: [rules.needed],
    plant: acting((action, { facts }) => {
      const other = facts.slots.find((slot) => slot.member && slot.isServing)?.member;
      return action.do === 'removeMember' && other ? { ...action, memberId: other.id } : undefined;
    }),
  },
  {
    name: 'a replacement that does not start prevents all others',
    story: 'a replacement that does not start, and another one',
    caughtBy: [untold],
    plant: believing((input) => {
      const { operation } = input.recorded;
      if (operation?.attempts === undefined) return input;
      return { ...input, recorded: { ...input.recorded, operation: { ...operation, attempts: 0 } } };
    }),
  },
  {
    name: 'a learner that does not join is waited for',
    story: 'a learner with an old configuration or an old id, and another failed member',
    caughtBy: [untold],
    plant: believing((input) => ({
      ...input,
      settings: { ...input.settings, learnerDeadlineMs: Number.POSITIVE_INFINITY },
    })),
  },
  {
    name: 'the pod of a member that is added again keeps its configuration',
    story: 'a learner with an old configuration or an old id, and another failed member',
    caughtBy: [untold],
    plant: deciding((decision) => {
      const { action, ...rest } = decision;
      return action?.do === 'deletePod' && rest.recorded.operation?.type === 'ReplaceMember' ? rest : decision;
    }),
  },
  {
    name: 'the list of a learner is believed',
    story: 'a member list answered by a learner',
    // It removes the member again and again.
    caughtBy: [untold, busy],
    plant: believingLearners,
  },
  {
    name: 'a volume of another owner is deleted',
    story: 'volumes that stop the growth',
    caughtBy: [rules.foreign],
    plant: deciding((decision, { facts }) => {
      const found = facts.slots.find(({ volume }) => volume?.isOurs === false && !volume.isDeleting);
      if (found?.volume === undefined) return decision;
      return { ...decision, action: { do: 'deleteVolume', slot: found.index, uid: found.volume.uid, why } };
    }),
  },
  {
    name: 'a pod of another owner is overlooked',
    story: 'a pod of another owner that stops the growth',
    caughtBy: [untold],
    plant: believing((input) => ({ ...input, foreignObjects: [] })),
  },
  {
    name: 'the disruption budget follows the size alone',
    story: 'walk over all sizes',
    caughtBy: [rules.budget],
    plant: () =>
      patch(PodDisruptionBudgetManager.prototype, (original) => ({
        render(this: PodDisruptionBudgetManager, cluster, minAvailable) {
          const ofSize = Math.floor(cluster.spec.size / 2) + 1;
          return original.render.call(this, cluster, Math.min(minAvailable, ofSize));
        },
      })),
  },
  {
    name: 'only the next slot is checked for a volume',
    story: 'volumes that stop the growth',
    caughtBy: [untold],
    plant: () =>
      replace<typeof ranges.slotsToGrow>('slotsToGrow', (original) => (input) => original(input).slice(0, 1)),
  },
  {
    name: 'a corrupt member is kept',
    story: 'a corrupt member',
    caughtBy: [asked],
    plant: ignoring('CORRUPT'),
  },
];
