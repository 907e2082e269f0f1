/** What must hold of volumes: none is deleted whose member has not left, or that the retention policy keeps. */
import type { PersistentVolumeClaim } from '@ecsm/kubernetes';
import { labels } from '../../src/apis/well-known.ts';
import type { Participation } from './participation.kit.ts';
import { rules, type Watched } from './rules.kit.ts';

export class VolumeRules {
  readonly #watched: Watched;
  readonly #participation: Participation;
  #claims = new Map<string, PersistentVolumeClaim>();
  /** Uids of parked volumes, with that of the restore that has parked them. */
  readonly #parked = new Map<string, string | undefined>();

  constructor(watched: Watched, participation: Participation) {
    this.#watched = watched;
    this.#participation = participation;
  }

  /** After every change of what is stored. */
  check(): void {
    const { parkedVolumes = [], restoredFrom } = this.#watched.view.cluster?.status ?? {};
    for (const { uid } of parkedVolumes) if (!this.#parked.has(uid)) this.#parked.set(uid, restoredFrom);
    const claims = new Map(this.#watched.view.claims.map((claim) => [claim.metadata.uid, claim]));
    for (const [uid, before] of this.#claims) {
      const isDeleted = claims.get(uid)?.metadata.deletionTimestamp !== undefined || !claims.has(uid);
      if (before.metadata.deletionTimestamp !== undefined || !isDeleted || this.#watched.excused.has(uid)) continue;
      this.#checkDeletion(before);
    }
    this.#claims = claims;
  }

  /** The operator deletes a volume. */
  #checkDeletion({ metadata: { name, uid, labels: found } }: PersistentVolumeClaim): void {
    const { view, kubelet } = this.#watched;
    const { cluster } = view;
    const { truth } = this.#participation;
    const fail = (message: string) => this.#watched.fail(rules.volumes, `${name} is deleted${message}`);
    this.#watched.checkPaused(`${name} is deleted`);
    if (found?.[labels.cluster] === undefined) this.#watched.fail(rules.foreign, `${name} is deleted`);
    const { spec, status, metadata } = cluster ?? {};
    if (metadata?.deletionTimestamp !== undefined || cluster === undefined) {
      if (spec?.storage.retentionPolicy.whenDeleted !== 'Delete') fail(' with the cluster, and is retained');
      return;
    }
    // That of a restore that has failed.
    if (view.restores.some((restore) => restore.status?.volumeUID === uid && restore.status.phase !== 'Completed')) {
      if (Object.values(status?.volumes ?? []).some((volume) => volume.uid === uid)) fail(', and its member runs');
      return;
    }
    if (status?.stoppedSize !== undefined) fail(' while the cluster is stopped');
    const isParked = status?.parkedVolumes?.some((volume) => volume.uid === uid) ?? false;
    if (isParked) {
      const isMeant = view.restores.some(
        (restore) => restore.metadata.uid === this.#parked.get(uid) && restore.spec.parkedVolumes === 'Delete',
      );
      if (!isMeant) fail(', and is kept after a restore');
      return;
    }
    const data = kubelet.volumes.get(uid)?.data;
    if (data === undefined) return;
    if (status?.recovery && status.volumes?.some((volume) => volume.uid === uid)) {
      fail(' by a recovery, and has the data of a member');
    }
    const isRetained = spec?.storage.retentionPolicy.whenScaled === 'Retain';
    const isShrinking = status?.operation?.type === 'RemoveMember' || status?.operation === undefined;
    if (isRetained && isShrinking && !status?.recovery) fail(', and is retained when the cluster shrinks');
    if (truth === undefined) fail(' while no member runs');
    else if (truth.state.members.has(data.memberId)) fail(', and its member has not left');
  }
}
