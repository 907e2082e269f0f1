/**
 * The description of a stored backup, which is stored beside it as the last step. A backup is complete if it has one and the
 * object matches it; a file that does not parse as one is not ours.
 */
import { SnapshotError } from './error.ts';

export const manifestFormat = 'etcd-operator/backup/v1';
const formatFamily = 'etcd-operator/backup/';
export const manifestBytesMax = 64 * 1024;

export type Compression = 'none' | 'gzip';

export interface BackupSource {
  readonly namespace: string;
  readonly cluster: string;
  readonly clusterUid: string;
  /** Of etcd, in hexadecimal. */
  readonly clusterId: string;
  /** The EtcdBackup. */
  readonly backup: string;
  readonly backupUid: string;
  /** What created the EtcdBackup by a schedule. */
  readonly schedule?: string;
  readonly scheduleUid?: string;
}

export interface BackupManifest {
  readonly format: typeof manifestFormat;
  /** Of the object with the data. */
  readonly key: string;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  readonly source: BackupSource;
  readonly etcd: {
    /** Of the server. */
    readonly version: string;
    readonly revision: string;
    readonly keys: number;
    /** What `etcdutl snapshot status` prints. */
    readonly hash: string;
    readonly hashKV?: string;
    readonly storageVersion?: string;
    readonly isAuthEnabled?: boolean;
  };
  /** The snapshot itself, with its checksum at the end. */
  readonly snapshot: { readonly sizeBytes: number; readonly sha256: string };
  /** As stored: compressed and encrypted. */
  readonly stored: { readonly sizeBytes: number; readonly sha256: string };
  readonly compression: Compression;
  readonly encryption: 'none' | { readonly algorithm: 'AES-256-GCM'; readonly keyId: string };
}

export function formatManifest(manifest: BackupManifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/** Throws `SnapshotError`; `name` is for its message. */
export function parseManifest(bytes: Uint8Array, name: string): BackupManifest {
  const parser = new Parser(name);
  if (bytes.byteLength > manifestBytesMax) throw parser.invalid(`it has more than ${manifestBytesMax} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw parser.invalid('it is not JSON');
  }
  const root = parser.object(value, 'it');
  const format = parser.text(root, 'format');
  if (format !== manifestFormat) {
    if (!format.startsWith(formatFamily)) throw parser.invalid(`its format is ${JSON.stringify(format)}`);
    const remedy = 'use the release that made it, or a newer one';
    throw new SnapshotError('NewerVersion', `the manifest ${name} has the format ${JSON.stringify(format)}; ${remedy}`);
  }
  const source = parser.object(root['source'], 'source');
  const etcd = parser.object(root['etcd'], 'etcd');
  return {
    format: manifestFormat,
    key: parser.text(root, 'key'),
    createdAt: parser.matching(root, 'createdAt', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    source: {
      namespace: parser.text(source, 'namespace'),
      cluster: parser.text(source, 'cluster'),
      clusterUid: parser.text(source, 'clusterUid'),
      clusterId: parser.text(source, 'clusterId'),
      backup: parser.text(source, 'backup'),
      backupUid: parser.text(source, 'backupUid'),
      ...parser.optional(source, 'schedule'),
      ...parser.optional(source, 'scheduleUid'),
    },
    etcd: {
      version: parser.text(etcd, 'version'),
      revision: parser.matching(etcd, 'revision', /^\d{1,19}$/),
      keys: parser.count(etcd, 'keys'),
      hash: parser.matching(etcd, 'hash', /^[0-9a-f]{8}$/),
      ...parser.optional(etcd, 'hashKV'),
      ...parser.optional(etcd, 'storageVersion'),
      ...(etcd['isAuthEnabled'] === true ? { isAuthEnabled: true } : {}),
    },
    snapshot: parser.checksum(root, 'snapshot'),
    stored: parser.checksum(root, 'stored'),
    compression: parser.compression(root['compression']),
    encryption: parser.encryption(root['encryption']),
  };
}

type Fields = Readonly<Record<string, unknown>>;

class Parser {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  invalid(problem: string): SnapshotError {
    return new SnapshotError('InvalidManifest', `${this.#name} is not the manifest of a backup: ${problem}`);
  }

  object(value: unknown, name: string): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.invalid(`${name} is not an object`);
    }
    return value as Fields;
  }

  text(fields: Fields, name: string): string {
    const value = fields[name];
    if (typeof value !== 'string' || value === '') throw this.invalid(`${name} is not a text`);
    return value;
  }

  matching(fields: Fields, name: string, pattern: RegExp): string {
    const value = this.text(fields, name);
    if (!pattern.test(value)) throw this.invalid(`${name} is ${JSON.stringify(value)}`);
    return value;
  }

  optional<N extends string>(fields: Fields, name: N): { readonly [key in N]?: string } {
    const empty: { readonly [key in N]?: string } = {};
    return fields[name] === undefined ? empty : { ...empty, [name]: this.text(fields, name) };
  }

  count(fields: Fields, name: string): number {
    const value = fields[name];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw this.invalid(`${name} is not a number of bytes or keys`);
    }
    return value;
  }

  checksum(root: Fields, name: string): { readonly sizeBytes: number; readonly sha256: string } {
    const fields = this.object(root[name], name);
    return { sizeBytes: this.count(fields, 'sizeBytes'), sha256: this.matching(fields, 'sha256', /^[0-9a-f]{64}$/) };
  }

  compression(value: unknown): Compression {
    if (value === 'none' || value === 'gzip') return value;
    throw this.invalid(`compression is ${JSON.stringify(value)}`);
  }

  encryption(value: unknown): BackupManifest['encryption'] {
    if (value === 'none') return value;
    const fields = this.object(value, 'encryption');
    if (fields['algorithm'] !== 'AES-256-GCM')
      throw this.invalid(`algorithm is ${JSON.stringify(fields['algorithm'])}`);
    return { algorithm: 'AES-256-GCM', keyId: this.matching(fields, 'keyId', /^[0-9a-f]{8}$/) };
  }
}
