/** Backups, schedules and restores in a run, with workers that end and a store that fails. */
import { whyUntrue } from './outcome.kit.ts';
import type { Story } from './stories.kit.ts';
import type { Users } from './users.kit.ts';
import type { View } from './view.kit.ts';

const isOver = (view: View, name: string) =>
  ['Completed', 'Failed', 'Skipped'].includes(
    view.backups.find(({ metadata }) => metadata.name === name)?.status?.phase ?? '',
  );

/** Everything has ended, and the cluster is as it should be. */
export const allOver = (view: View): string | undefined => {
  const deleted = [...view.backups, ...view.restores].find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (deleted) return `${deleted.metadata.name} is still being deleted`;
  const open = view.backups.find(({ metadata, spec }) => spec.schedule === undefined && !isOver(view, metadata.name));
  if (open) return `${open.metadata.name} is ${open.status?.phase}: ${open.status?.message}`;
  const restore = view.restores.find(({ status }) => status?.phase !== 'Completed' && status?.phase !== 'Failed');
  if (restore) return `${restore.metadata.name} is at ${restore.status?.step}: ${restore.status?.message}`;
  const cluster = whyUntrue(view);
  if (cluster !== undefined) return cluster;
  for (const { metadata, status, spec } of view.restores) {
    const isRestored = view.cluster?.status?.restoredFrom === metadata.uid;
    if (spec.restoreType === 'Replace' && isRestored !== (status?.phase === 'Completed')) {
      return `${metadata.name} is ${status?.phase}, and the cluster has ${isRestored ? '' : 'not '}its data`;
    }
  }
  return view.cluster?.metadata.annotations?.['etcd.ecsm.sh/restore'] === undefined
    ? undefined
    : 'it is still asked for';
};

/** A backup that is complete, before the faults begin. */
async function withBackup(users: Users): Promise<void> {
  await users.startWith(users.pick(1, 3, 3));
  users.plantStranger();
  await users.backUp('first', { backoffLimit: 10 });
  await users.until(() => users.phaseOf('first') === 'Completed');
}

export const backupStories: readonly Story[] = [
  {
    name: 'backups while workers end and the store fails',
    why: allOver,
    async tell(users) {
      await users.startWith(users.pick(1, 3, 3));
      users.plantStranger();
      users.breakWorkers();
      for (let count = users.random.integer(1, 3); count > 0; count--) {
        await users.backUp(`backup-${count}`, {
          deletionPolicy: users.pick('Retain', 'Delete'),
          timeoutSeconds: users.pick(60, 3_600),
        });
        await users.soon(30_000);
        if (users.random.next() < 0.3) await users.disaster();
      }
      if (users.pick(true, false)) await users.deleteBackup('backup-1');
    },
  },
  {
    name: 'a schedule with retention and rehearsals',
    why: allOver,
    async tell(users) {
      await users.startWith(users.pick(1, 3));
      users.plantStranger();
      await users.backUp('often', {
        schedule: '* * * * *',
        retentionPolicy: { maxBackups: users.pick(1, 2) },
        rehearse: { schedule: '*/2 * * * *' },
        backoffLimit: 1,
        deletionPolicy: users.pick('Retain', 'Delete'),
      });
      await users.wait(users.random.integer(60_000, 200_000));
      users.breakWorkers();
      await users.wait(users.random.integer(60_000, 300_000));
      await users.editBackup('often', { suspend: true });
    },
  },
  {
    name: 'a restore in place of a running cluster',
    why: allOver,
    async tell(users) {
      await withBackup(users);
      users.breakWorkers();
      await users.soon(20_000);
      const parkedVolumes = users.pick<'Retain' | 'Delete'>('Retain', 'Delete');
      await users.restore('back', 'first', { parkedVolumes, safetyBackup: users.pick(true, false), backoffLimit: 10 });
      await users.soon(100_000);
      if (users.random.next() < 0.3) users.killContainer(users.anySlot());
      if (users.random.next() < 0.7) return;
      await users.until(() => users.restoreOf('back')?.completionTime !== undefined);
      await users.deleteRestore('back');
      await users.until(() => users.restoreOf('back') === undefined);
      await users.restore('back', 'first', { parkedVolumes: users.pick('Retain', 'Delete'), backoffLimit: 10 });
    },
  },
  {
    name: 'a restore that fails, or is deleted',
    why: allOver,
    async tell(users) {
      await withBackup(users);
      users.breakWorkers();
      await users.restore('back', 'first', {
        safetyBackup: false,
        backoffLimit: 0,
        timeoutSeconds: users.pick(20, 600),
      });
      await users.soon(60_000);
      const fault = users.pick('store', 'deletion', 'none');
      if (fault === 'store') users.storage.failure = 'Unavailable';
      if (fault === 'deletion') await users.deleteRestore('back');
      await users.wait(60_000);
      users.storage.failure = undefined;
    },
  },
];
