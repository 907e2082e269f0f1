/** What must hold of backups and restores, whatever fails. */
import type { DataDirectory } from '../../src/client/etcd/simulated/model.kit.ts';
import type { SimulatedStorage } from '../../src/client/storage/simulated/store.kit.ts';
import { rules, type Watched } from './rules.kit.ts';
import { slots } from './view.kit.ts';
import type { Workers } from './workers.kit.ts';

export class BackupRules {
  readonly #watched: Watched;
  readonly #storage: SimulatedStorage;
  readonly #workers: Workers;
  readonly #complete = new Set<string>();
  /** Uids of safety backups, with that of the restore. */
  readonly #safety = new Map<string, string>();
  /** Keys that no schedule may delete: those of strangers, and the newest of each. */
  readonly strangers = new Set<string>();

  constructor(watched: Watched, storage: SimulatedStorage, workers: Workers) {
    this.#watched = watched;
    this.#storage = storage;
    this.#workers = workers;
  }

  /** Before data is restored, and before a member starts with data: where what runs is another cluster, it has to have ended. */
  checkBeside({ clusterId }: DataDirectory, what: string): void {
    const others = slots.filter((slot) => {
      const process = this.#watched.view.process(slot);
      return process !== undefined && process.data.clusterId !== clusterId;
    });
    if (others.length > 0) this.#watched.fail(rules.beside, `${what} while main-${others.join(', main-')} run`);
  }

  /** After every change of what is stored in the registry. */
  checkStored(): void {
    const { backups } = this.#watched.view;
    const active = new Map<string, string>();
    for (const { metadata, status, spec } of backups) {
      if (status?.phase === 'Completed' && !this.#complete.has(metadata.uid)) {
        this.#complete.add(metadata.uid);
        this.#checkComplete(metadata.name, status);
      }
      const schedule = metadata.ownerReferences?.[0]?.uid;
      const isEnded = ['Completed', 'Failed', 'Skipped'].includes(status?.phase ?? '');
      if (schedule === undefined || isEnded || spec.schedule !== undefined) continue;
      const other = active.get(schedule);
      if (other !== undefined) this.#watched.fail(rules.oneRun, `${other} and ${metadata.name} run at the same time`);
      active.set(schedule, metadata.name);
    }
    this.#checkNewest();
    this.#checkSafety();
  }

  #checkSafety(): void {
    const { backups, restores } = this.#watched.view;
    for (const { metadata, status } of restores) {
      const backup = backups.find(({ metadata: { name } }) => name === status?.safetyBackup)?.metadata;
      if (backup === undefined) continue;
      const owner = this.#safety.get(backup.uid) ?? metadata.uid;
      if (owner !== metadata.uid) this.#watched.fail(rules.safety, `${backup.name} is that of two restores`);
      this.#safety.set(backup.uid, owner);
    }
  }

  #checkComplete(name: string, status: { readonly manifestPath?: string; readonly storagePath?: string }): void {
    const { objects } = this.#storage;
    const manifest = objects.get(status.manifestPath ?? '');
    const data = objects.get(status.storagePath ?? '');
    if (manifest === undefined || data === undefined) {
      this.#watched.fail(rules.complete, `${name} is complete, and not in the store`);
      return;
    }
    const { sha256 } = JSON.parse(Buffer.from(manifest.bytes).toString());
    if (sha256 !== data.sha256) this.#watched.fail(rules.complete, `${name} is complete, and damaged in the store`);
  }

  /**
   * Once a run of a schedule was complete, a whole backup that is not older is in the store. The order is that of the times
   * of the schedule, which are in the names of runs: a clock that was set back makes later keys and ends smaller.
   */
  #checkNewest(): void {
    const { backups } = this.#watched.view;
    for (const schedule of backups.filter(({ spec }) => spec.schedule !== undefined)) {
      const newest = backups
        .filter(({ metadata, status }) => {
          const isOwn = metadata.ownerReferences?.[0]?.uid === schedule.metadata.uid;
          return isOwn && status?.phase === 'Completed' && metadata.deletionTimestamp === undefined;
        })
        .sort((one, other) => (one.metadata.name < other.metadata.name ? 1 : -1))[0];
      const { manifestPath } = newest?.status ?? {};
      if (newest === undefined || manifestPath === undefined || this.#storage.objects.has(manifestPath)) continue;
      // It may have been pruned by a newer run that has not answered yet.
      const later = [...this.#storage.objects].some(([key, { bytes }]) => {
        if (!key.endsWith('.manifest.json')) return false;
        const { source, key: data } = JSON.parse(Buffer.from(bytes).toString());
        const isLater = source?.scheduleUid === schedule.metadata.uid && source.backup > newest.metadata.name;
        return isLater && this.#storage.objects.has(data);
      });
      if (!later) {
        this.#watched.fail(rules.newest, `${newest.metadata.name} is the newest, and was deleted from the store`);
      }
    }
  }

  /** At intervals. */
  check(): void {
    for (const key of this.strangers) {
      if (!this.#storage.objects.has(key)) this.#watched.fail(rules.strangers, `${key} was deleted`);
    }
    const owners = new Map<string, string>();
    for (const { owner, name } of this.#workers.running.values()) {
      if (name.endsWith('-rehearsal')) continue;
      const other = owners.get(owner);
      if (other !== undefined) this.#watched.fail(rules.oneWorker, `${other} and ${name} run at the same time`);
      owners.set(owner, name);
    }
    const ids = new Set(slots.flatMap((slot) => this.#watched.view.process(slot)?.data.clusterId ?? []));
    if (ids.size > 1) this.#watched.fail(rules.beside, `members of the clusters ${[...ids].join(', ')} run`);
  }
}
