/** A manifest for tests. */
import { type BackupManifest, manifestFormat } from './manifest.ts';

export function sampleManifest(changes: Partial<BackupManifest> = {}): BackupManifest {
  return {
    format: manifestFormat,
    key: 'default/main/20261117T074031Z-ab12cd34.db',
    createdAt: '2026-11-17T07:40:31Z',
    source: {
      namespace: 'default',
      cluster: 'main',
      clusterUid: 'cluster-uid',
      clusterId: 'c0ffee',
      backup: 'nightly-1',
      backupUid: 'ab12cd34-0000',
      schedule: 'nightly',
      scheduleUid: 'schedule-uid',
    },
    etcd: { version: '3.5.16', revision: '17', keys: 3, hash: '0123abcd', hashKV: 'ce77b7b9' },
    snapshot: { sizeBytes: 20_512, sha256: 'a'.repeat(64) },
    stored: { sizeBytes: 20_512, sha256: 'a'.repeat(64) },
    compression: 'none',
    encryption: 'none',
    ...changes,
  };
}
