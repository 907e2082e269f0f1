/** Which backups of a schedule are not kept any longer. */
import { timestampAt } from '@ecsm/runtime';
import type { BackupManifest } from './manifest.ts';

export interface RetentionPolicy {
  /** Default: any number. */
  readonly maxBackups?: number;
  /** Default: any age. */
  readonly maxAgeMs?: number;
  readonly scheduleUid: string;
}

interface KeptBackup {
  readonly baseKey: string;
  readonly manifest: BackupManifest;
}

/**
 * The oldest first. Only backups of the schedule, by the time in their manifests; the newest one is always kept. An
 * invalid number keeps everything.
 */
export function expiredBackups<B extends KeptBackup>(
  backups: readonly B[],
  { maxBackups, maxAgeMs, scheduleUid }: RetentionPolicy,
  nowMs: number,
): readonly B[] {
  // These timestamps have the order of their texts.
  const compare = (left: string, right: string) => (left < right ? 1 : left > right ? -1 : 0);
  const oldest = maxAgeMs !== undefined && maxAgeMs > 0 ? timestampAt(nowMs - maxAgeMs) : '';
  const own = backups
    .filter(({ manifest }) => manifest.source.scheduleUid === scheduleUid && scheduleUid !== '')
    .sort(
      (left, right) =>
        compare(left.manifest.createdAt, right.manifest.createdAt) || compare(left.baseKey, right.baseKey),
    );
  const isOver = (index: number) => maxBackups !== undefined && maxBackups >= 1 && index >= maxBackups;
  const isOld = ({ manifest }: B) => manifest.createdAt < oldest;
  return own.filter((backup, index) => index > 0 && (isOver(index) || isOld(backup))).reverse();
}
