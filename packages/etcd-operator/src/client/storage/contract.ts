/**
 * The contract of a store of backups: whole objects under keys. Implementations: a directory of a volume, a bucket of an
 * S3-compatible store, and a simulated store for tests; `storage.suite.ts` tests all of them.
 *
 * - Keys are relative to the `path` of the destination, `/`-separated, without empty segments, `.` and `..`.
 * - An object is never changed: `put` only creates. Objects under other keys are never touched.
 * - Failures are `StorageError`s. After `Unavailable` or `Timeout` a change may or may not have happened; after any other
 *   error it has not.
 */
import type { Clock, Random } from '@ecsm/runtime';

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** By the clock of the store. */
  readonly modifiedAtMs: number;
}

export interface StorageCallOptions {
  /** An aborted call fails with `Unavailable`. */
  readonly signal?: AbortSignal;
}

export interface PutOptions extends StorageCallOptions {
  /** Called with the number of bytes that the store has accepted so far. */
  readonly onProgress?: (bytes: number) => void;
  /** The SHA-256 of the body, in hexadecimal, of a caller that knows it when the body has ended. Default: computed. */
  readonly sha256?: () => string;
  /**
   * Called with a file that has all bytes as they are stored, before other clients see the object; an error is rethrown as
   * it is, and nothing is stored. Only by a client with `hasFiles`.
   */
  readonly review?: (file: string) => Promise<void>;
}

export interface PutResult extends StoredObject {
  /** Of the stored bytes, in hexadecimal. */
  readonly sha256: string;
}

export interface GetResult {
  readonly object: StoredObject;
  /** Absolute. Only of a client with `hasFiles`. */
  readonly file?: string;
  /**
   * Fails if it ends before `sizeBytes`. It can be read once, and holds a connection or a file until it ends, fails, or its
   * iterator is returned. A chunk is valid until the next one is requested.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface BackupStorageClient {
  /** Whether objects are files of this machine: what is stored can then be read before it is published. */
  readonly hasFiles: boolean;
  /**
   * Stores a stream under a new key. Other clients see the object only when it is whole; its size and checksum are verified
   * before the call returns. `AlreadyExists` if there is one. An error of `body` is rethrown as it is, and nothing is
   * stored. A chunk is not used any more when the next one is requested.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>;
  /** Returns undefined if there is none. */
  head(key: string, options?: StorageCallOptions): Promise<StoredObject | undefined>;
  /** `NotFound` if there is none. */
  get(key: string, options?: StorageCallOptions): Promise<GetResult>;
  /**
   * All objects whose key starts with the prefix, which may end within a segment; in no particular order. Some stores answer
   * with an older state: a new object may be missing, and a deleted one may be listed.
   */
  list(prefix: string, options?: StorageCallOptions): AsyncIterable<StoredObject>;
  /** A missing object is not an error. */
  delete(key: string, options?: StorageCallOptions): Promise<void>;
  /** Closes the connections. Calls in flight fail. */
  close(): void;
}

/** What failed, in the terms of a caller. */
export type StorageErrorCode =
  | 'NotFound'
  | 'AlreadyExists'
  /** The credentials or the permissions of files do not allow it. */
  | 'Denied'
  /** The credentials were valid before. */
  | 'Expired'
  /** There is no such bucket, or no such directory. */
  | 'NoBucket'
  /** No space, or a quota is used up. */
  | 'Full'
  /** No connection, it broke, or the store asks to retry: a change may have happened. */
  | 'Unavailable'
  /** No answer in time: a change may have happened. */
  | 'Timeout'
  /** The store holds other bytes than were sent; they were removed, or the message says that they could not be. */
  | 'Corrupt'
  /** Anything else, such as an invalid key: the message says what. */
  | 'Other';

export type Destination = S3Destination | VolumeDestination;

export interface S3Destination {
  readonly type: 'S3';
  readonly bucket: string;
  /** Default: `us-east-1`. */
  readonly region?: string;
  /** `http://` or `https://`, host and port. Default: Amazon's for the region. */
  readonly endpoint?: string;
  /** The bucket is the first segment of the path, not a part of the host name. Default: true if there is an `endpoint`. */
  readonly forcePathStyle?: boolean;
  /** Prepended to all keys, with a `/`. Default: none. */
  readonly path?: string;
}

export interface VolumeDestination {
  readonly type: 'Volume';
  /** Absolute. It has to exist: an unmounted volume is an error. */
  readonly directory: string;
  /** A directory below it, which is created. Default: none. */
  readonly path?: string;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

/** Called for every request, so that rotated credentials are used at once. */
export type ReadS3Credentials = () => S3Credentials | Promise<S3Credentials>;

export interface StorageOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Read by the caller: files in a pod, the environment in a command. Required for S3. */
  readonly credentials?: S3Credentials | ReadS3Credentials;
  /** Certificate authorities of an S3 endpoint, in PEM. Default: those of Node.js. */
  readonly ca?: string;
}
