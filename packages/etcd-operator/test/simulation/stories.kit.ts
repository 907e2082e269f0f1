/** What happens to a cluster in a run. Every story leaves a spec behind that has to become true. */
import { names } from '../../src/apis/well-known.ts';
import { backupStories } from './backup-stories.kit.ts';
import type { Users } from './users.kit.ts';
import { clusterName, type View } from './view.kit.ts';

export interface Story {
  readonly name: string;
  readonly tell: (users: Users) => Promise<void>;
  /** Why it has not ended as it should. Default: the cluster is not as its spec says. */
  readonly why?: (view: View) => string | undefined;
}

/** With or without waiting, so that edits and faults come at any step. */
async function later(users: Users): Promise<void> {
  if (users.random.next() < 0.5) await users.settled(300_000);
  else await users.soon(40_000);
}

async function perhapsDisaster(users: Users, chance = 0.4): Promise<void> {
  if (users.random.next() < chance) await users.disaster();
}

const withTls = { security: { tls: { enabled: true } } };

export const gone = (view: View): string | undefined => {
  if (view.cluster !== undefined) return 'the cluster still exists';
  if (view.pods.length > 0) return `${view.pods.length} pods are left`;
  return view.set === undefined ? undefined : 'the StatefulSet is left';
};

export const stories: readonly Story[] = [
  ...backupStories,
  {
    name: 'create',
    async tell(users) {
      await users.create({ size: users.pick(1, 3, 3, 5), ...(users.pick(true, false) ? withTls : {}) });
      for (let count = users.random.integer(0, 2); count > 0; count--) {
        await users.soon(40_000);
        await users.disaster();
      }
    },
  },
  {
    name: 'walk over all sizes',
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3, 5));
      for (let count = users.random.integer(1, 3); count > 0; count--) {
        await later(users);
        await perhapsDisaster(users);
        await users.edit({ size: users.pick(0, 1, 1, 3, 3, 3, 5, 7) });
      }
    },
  },
  {
    name: 'edits in the middle of changes',
    async tell(users) {
      await users.create({ size: users.pick(0, 1, 3) });
      for (let count = users.random.integer(2, 6); count > 0; count--) {
        await users.soon(25_000);
        await users.edit({ size: users.pick(0, 1, 3, 3, 5) });
      }
    },
  },
  {
    name: 'disasters',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      for (let count = users.random.integer(2, 5); count > 0; count--) {
        await users.disaster();
        await later(users);
      }
    },
  },
  {
    name: 'two at once',
    async tell(users) {
      const size = users.pick(3, 3, 3, 5);
      await users.startWith(size);
      const [first = 0, second = 1] = users.running;
      await users.disaster(first);
      await users.disaster(second);
      await later(users);
      await users.disaster();
    },
  },
  {
    name: 'partitions',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      users.isolate(users.pick(true, false) ? users.running : [users.anySlot()]);
      await users.soon(100_000);
      if (users.pick(true, false)) await users.edit({ size: users.pick(1, 3, 3, 5) });
      await users.soon(60_000);
      users.heal();
    },
  },
  {
    name: 'a quorum lost, and recovered with permission',
    async tell(users) {
      const size = users.pick(3, 3, 3, 5);
      await users.startWith(size);
      const lost = users.pick([0, 1], [1, 2], [0, 2]);
      for (const slot of size === 3 ? lost : [...lost, 3]) await users.loseVolume(slot);
      await users.wait(users.random.integer(0, 60_000));
      const survivor = [0, 1, 2].find((slot) => !lost.includes(slot)) ?? 0;
      await users.allowRecovery(users.pick('auto', names.pod(clusterName, survivor)));
      if (users.pick(true, false)) {
        await users.soon(60_000);
        await users.killPod(users.anySlot());
      } else {
        // The mounted configuration of the survivor may be that of the recovery.
        await users.until(() => users.view.cluster?.status?.recovery !== undefined);
        await users.until(() => users.view.cluster?.status?.recovery === undefined);
        await users.wait(users.random.integer(0, 15_000));
        users.killContainer(survivor);
      }
    },
  },
  {
    name: 'nodes lost, and the quorum recovered while their volumes exist',
    async tell(users) {
      const size = users.pick(3, 3, 3, 5);
      await users.startWith(size);
      const survivor = users.random.integer(0, size - 1);
      const others = users.running.filter((slot) => slot !== survivor);
      const lost = size === 3 ? others : others.slice(0, 3);
      for (const slot of lost) users.setNode(slot, true);
      await users.allowRecovery(users.pick('auto', names.pod(clusterName, survivor)));
      // Refused until Kubernetes knows that the processes are dead.
      await users.wait(users.random.integer(0, 150_000));
      for (const slot of lost) await users.deleteNode(slot);
      await users.until(() => users.view.cluster?.status?.recovery !== undefined);
      await users.soon(120_000);
      // New nodes have their names, and the volumes are attached to them.
      for (const slot of lost) users.setNode(slot, false);
      await users.until(() => users.view.cluster?.status?.recovery === undefined);
      await users.soon(60_000);
      await perhapsDisaster(users);
    },
  },
  {
    name: 'a quorum lost for a while, without permission',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      const [, ...lost] = users.running;
      // Nodes that are lost may run their members, and containers that cannot start do not.
      const isNode = users.pick(true, false);
      for (const slot of lost) {
        if (isNode) users.setNode(slot, true);
        else users.setImage(slot, 'pull');
        if (!isNode) await users.killPod(slot);
      }
      await users.wait(users.random.integer(20_000, 200_000));
      await users.edit({ size: users.pick(1, 3, 3, 5) });
      await users.soon(60_000);
      for (const slot of lost) {
        if (isNode) users.setNode(slot, false);
        else users.setImage(slot, undefined);
      }
    },
  },
  {
    name: 'an operator whose certificate is refused for a while',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 5));
      await users.wait(70_000);
      users.refuseOperator(true);
      if (users.pick(true, true, false)) await users.allowRecovery('auto');
      await users.wait(users.random.integer(100_000, 300_000));
      if (users.pick(true, false)) await users.edit({ size: users.pick(1, 3, 5) });
      await users.soon();
      users.refuseOperator(false);
    },
  },
  {
    name: 'upgrade with a member that does not come back for a while',
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3, 5));
      const slot = users.anySlot();
      users.setImage(slot, users.pick('pull', 'exit'));
      await users.edit({ version: 'v3.6.11' });
      await users.soon(120_000);
      await perhapsDisaster(users, 0.2);
      users.setImage(slot, undefined);
      if (users.pick(true, false)) await users.edit({ size: users.pick(1, 3, 3, 5) });
    },
  },
  {
    name: 'change of the configuration while a member is down',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      const slot = users.anySlot();
      users.setNode(slot, true);
      await users.soon(100_000);
      await users.edit({ etcd: { options: { 'heartbeat-interval': 200 } } });
      await users.wait(users.random.integer(70_000, 150_000));
      users.setNode(slot, false);
      await users.soon();
      await perhapsDisaster(users);
    },
  },
  {
    name: 'certificates over years',
    async tell(users) {
      await users.startWith(users.pick(1, 1, 3), true);
      for (let count = users.pick(1, 1, 2); count > 0; count--) {
        users.skip(users.pick(61, 400, 2_500, 3_000) * 86_400_000);
        // At rest the operator reads the Secrets in every tenth pass only.
        await users.idle(1_000_000);
        await later(users);
        await perhapsDisaster(users, 0.3);
      }
    },
  },
  {
    name: 'the authority lost',
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3), true);
      const backup = users.authority;
      // An administrator who follows a runbook for something else.
      if (users.pick(true, false)) await users.allowRecovery('auto');
      for (let count = users.pick(1, 1, 2, 3); count > 0; count--) {
        await users.loseAuthority();
        // Changes of the spec are noticed at once; otherwise the Secrets are read in every tenth pass.
        if (users.pick(true, false)) await users.edit({ etcd: { options: { 'heartbeat-interval': 100 + count } } });
        else await users.idle(1_000_000);
        await users.soon(300_000);
        if (users.random.next() < 0.3) await users.restoreAuthority(backup);
        await users.soon();
      }
      await users.idle(1_000_000);
    },
  },
  {
    name: 'the authority lost among other disasters',
    async tell(users) {
      await users.startWith(3, true);
      for (let count = users.pick(1, 2); count > 0; count--) {
        await users.loseAuthority();
        await users.edit({ etcd: { options: { 'heartbeat-interval': 100 + count } } });
        await users.soon(60_000);
        await users.disaster();
        await later(users);
      }
    },
  },
  {
    name: 'pause in the middle of a change',
    async tell(users) {
      await users.startWith(users.pick(1, 3));
      await users.edit({ size: users.pick(1, 3, 3, 5) });
      await users.soon();
      await users.edit({ paused: true });
      await users.soon(30_000);
      await perhapsDisaster(users);
      await users.edit({ size: users.pick(1, 3, 3, 5) });
      await users.wait(users.random.integer(0, 200_000));
      await users.edit({ paused: false });
    },
  },
  {
    name: 'delete at any step',
    why: gone,
    async tell(users) {
      const retentionPolicy = { whenDeleted: users.pick<'Delete' | 'Retain'>('Delete', 'Retain') };
      await users.create({ size: users.pick(0, 1, 3), storage: { retentionPolicy } });
      await later(users);
      await perhapsDisaster(users);
      await users.edit({ size: users.pick(0, 1, 3, 3, 5), paused: users.random.next() < 0.2 });
      await users.soon();
      await users.delete();
    },
  },
  {
    name: 'stop and start, with a volume lost meanwhile',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      await users.edit({ size: 0 });
      await later(users);
      const slot = users.random.integer(0, 2);
      if (users.view.pods.length === 0 && users.view.cluster?.status?.phase === 'Stopped') await users.loseVolume(slot);
      await users.edit({ size: users.pick(1, 3, 3, 5) });
      await later(users);
      await perhapsDisaster(users);
    },
  },
  {
    name: 'volumes that are retained',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 3, 5));
      await users.edit({ storage: { retentionPolicy: { whenScaled: 'Retain' } } });
      await users.soon(40_000);
      // Long enough that a member which is removed was healthy for certain.
      if (users.pick(true, false)) await users.wait(70_000);
      await users.edit({ size: 1 });
      await later(users);
      await perhapsDisaster(users);
    },
  },
  {
    name: 'from any size to any other',
    async tell(users) {
      const from = users.pick(0, 1, 3, 5, 7);
      await users.startWith(from === 0 ? users.pick(1, 3, 5) : from);
      if (from === 0) {
        await users.edit({ size: 0 });
        await users.settled(300_000);
      }
      const to = users.pick(0, 1, 3, 5, 7);
      await users.edit({ size: to === from ? 3 : to });
      await users.soon(60_000);
      await perhapsDisaster(users, 0.3);
    },
  },
  {
    name: 'a full database',
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3, 5));
      users.fill(users.anySlot());
      await users.soon(60_000);
      await perhapsDisaster(users);
      if (users.pick(true, false)) await users.edit({ size: users.pick(1, 3, 5) });
      await users.soon(60_000);
      if (users.pick(true, false)) users.fill(users.anySlot());
    },
  },
  {
    name: 'a corrupt member',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 5));
      users.corrupt(users.anySlot());
      await users.soon(60_000);
      // Not its volume: two copies of three would be lost.
      await users.killPod(users.anySlot());
      await users.soon(60_000);
      if (users.pick(true, false)) await users.edit({ size: users.pick(3, 5) });
    },
  },
  {
    name: 'a member removed with etcdctl',
    async tell(users) {
      await users.startWith(users.pick(3, 3, 5));
      await users.soon(30_000);
      await users.removeMember(users.anySlot());
      await users.soon(60_000);
      if (users.pick(true, false)) await users.edit({ size: users.pick(1, 3, 5) });
      if (users.pick(true, false)) await users.killPod(users.anySlot());
    },
  },
  {
    name: 'a smaller size or a stop while a member is dead for good',
    async tell(users) {
      const size = users.pick(3, 3, 5);
      await users.startWith(size);
      const dead = users.random.integer(0, size - 1);
      users.setNode(dead, true);
      await users.idle(240_000);
      const to = users.pick(0, 1, size - 2);
      await users.edit({ size: to });
      if (to === 0) {
        await users.expect('the others are stopped', () => users.running.every((slot) => slot === dead));
        await users.edit({ size });
      } else {
        await users.expect(`${to} members without main-${dead}`, () => {
          return users.voters.length === to && !users.voters.includes(dead);
        });
      }
    },
  },
  {
    name: 'a replacement that does not start, and another one',
    async tell(users) {
      await users.startWith(5);
      users.setImage(1, 'exit');
      await users.loseVolume(1);
      await users.idle(60_000);
      await users.loseVolume(3);
      const before = users.view.process(3)?.id;
      await users.expect('main-3 is replaced', () => {
        return users.voters.includes(3) && users.view.isUp(3) && users.view.process(3)?.id !== before;
      });
    },
  },
  {
    name: 'a learner with an old configuration or an old id, and another failed member',
    async tell(users) {
      await users.startWith(5);
      const isConfig = users.pick(true, false);
      if (isConfig) users.setOldConfig(1, true);
      await users.loseVolume(1);
      await users.until(() => users.learner === 1);
      const former = users.podOf(1)?.metadata.uid;
      // Without an operator for a while, the pod of the learner is created when the configuration is new again.
      let isOld: boolean;
      if (isConfig) {
        const hasFailed = () => users.podOf(1)?.status?.containerStatuses?.[0]?.lastState !== undefined;
        isOld = await users.until(() => users.podOf(1)?.metadata.uid !== former && hasFailed(), 60_000);
      } else {
        isOld = await users.until(() => users.view.process(1) !== undefined);
        await users.removeMember(1);
        await users.addMember(1);
      }
      const old = { pod: users.podOf(1)?.metadata.uid, volume: users.view.claim(1)?.metadata.uid };
      users.setOldConfig(1, false);
      await users.soon(40_000);
      const third = users.view.process(3)?.id;
      await users.loseVolume(3);
      const isReplaced = (slot: number) => users.voters.includes(slot) && users.view.isUp(slot);
      await users.expect('main-1 and main-3 are replaced', () => {
        return isReplaced(1) && isReplaced(3) && users.view.process(3)?.id !== third;
      });
      if (!isOld) return;
      if (users.podOf(1)?.metadata.uid === old.pod) users.fail('the pod with the old configuration is kept');
      if (users.view.claim(1)?.metadata.uid === old.volume) users.fail('the volume of the old member is kept');
    },
  },
  {
    name: 'a member list answered by a learner',
    async tell(users) {
      await users.startWith(5);
      const slot = users.pick(1, 5);
      if (slot === 5) await users.edit({ size: 7 });
      else await users.loseVolume(slot);
      await users.until(() => users.learner === slot && users.view.process(slot)?.isServing === true);
      // It still answers clients, and its list stays the one in which it is a learner.
      users.isolate([slot]);
      const { id } = users.view.process(slot) ?? {};
      const volume = users.view.claim(slot)?.metadata.uid;
      // Not if the others have written much before the operator asks for it.
      const isPromoted = await users.until(() => users.voters.includes(slot), 60_000);
      const former = users.view.process(3)?.id ?? '';
      if (users.pick(true, false)) await users.loseVolume(3);
      else {
        users.setImage(3, 'exit');
        await users.killPod(3);
      }
      await users.expect('main-3 is removed meanwhile', () => users.view.truth?.state.members.has(former) === false);
      users.setImage(3, undefined);
      await users.expect('main-3 is replaced meanwhile', () => users.voters.includes(3) && users.view.isUp(3));
      const isKept = users.view.process(slot)?.id === id && users.view.claim(slot)?.metadata.uid === volume;
      if (isPromoted && !(isKept && users.voters.includes(slot))) users.fail(`main-${slot} is replaced`);
      users.heal();
    },
  },
  {
    name: 'files that can shrink, also that of the leader',
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3, 5));
      await users.age();
      await users.soon(60_000);
      await perhapsDisaster(users, 0.3);
      users.repair();
      await users.expect('every file is small', () => users.fileBytesMax < 1024 ** 3);
    },
  },
  {
    name: 'from 3 to 0, 1 and 3',
    async tell(users) {
      await users.startWith(3);
      for (const size of [0, 1, 3]) {
        await users.edit({ size });
        await later(users);
        await perhapsDisaster(users, 0.2);
      }
    },
  },
  {
    name: 'volumes that stop the growth',
    async tell(users) {
      // Of the second slot: the first one alone would be free.
      if (users.pick(true, false)) {
        await users.startWith(3);
        await users.edit({ size: 1, storage: { retentionPolicy: { whenScaled: 'Retain' } } });
        await users.settled();
        await users.deleteClaim(1);
      } else {
        await users.startWith(1);
        await users.occupy(2);
      }
      const before = users.voters.length;
      await users.edit({ size: 3 });
      await users.expect('the growth is refused', () => users.problem === 'VolumesExist');
      if (users.voters.length !== before) users.fail(`${users.voters.length} voters, and ${before} before`);
      await users.deleteClaim(2);
    },
  },
  {
    name: 'a pod of another owner that stops the growth',
    async tell(users) {
      await users.startWith(1);
      const slot = users.pick(1, 2);
      await users.occupyPod(slot);
      await users.edit({ size: 3 });
      await users.expect('the growth is refused', () => users.problem === 'ForeignObjects');
      if (users.voters.length !== 1) users.fail(`${users.voters.length} voters, and 1 before`);
      await users.vacatePod(slot);
    },
  },
  {
    name: 'delete, and create again under the same name',
    async tell(users) {
      const whenDeleted = users.pick<'Delete' | 'Retain'>('Delete', 'Retain');
      if (users.pick(true, false)) {
        await users.startWith(users.pick(1, 3));
        await users.edit({ storage: { retentionPolicy: { whenDeleted } } });
      } else await users.create({ size: users.pick(1, 3), storage: { retentionPolicy: { whenDeleted } } });
      await users.soon(60_000);
      await perhapsDisaster(users);
      await users.delete();
      users.repair();
      await users.until(() => users.view.cluster === undefined);
      if (whenDeleted === 'Retain') await users.deleteVolumes();
      if (users.pick(true, false)) await users.soon();
      await users.create({ size: users.pick(1, 3) });
      await users.soon(60_000);
      await perhapsDisaster(users);
    },
  },
];
