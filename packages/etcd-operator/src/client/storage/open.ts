/** Opens the store of a destination. */
import type { BackupStorageClient, Destination, StorageOptions } from './contract.ts';
import { S3Storage } from './s3/storage.ts';
import { VolumeStorage } from './volume/storage.ts';

/** Connects nothing yet. Throws a `StorageError` if the destination is not valid. */
export function openStorage(destination: Destination, options: StorageOptions): BackupStorageClient {
  if (destination.type === 'S3') return new S3Storage(destination, options);
  return new VolumeStorage(destination, options.clock, options.random);
}
