/** The keys of stored backups: the data, and beside it its manifest. */
import type { Compression } from './manifest.ts';

const manifestSuffix = '.manifest.json';
const dataSuffix = /\.db(?:\.gz)?(?:\.enc)?$/;

/** `baseKey` is unique to a backup: `<namespace>/<cluster>/<time>-<start of its uid>`. */
export function dataKeyOf(baseKey: string, compression: Compression, isEncrypted: boolean): string {
  return `${baseKey}.db${compression === 'gzip' ? '.gz' : ''}${isEncrypted ? '.enc' : ''}`;
}

export function manifestKeyOf(baseKey: string): string {
  return `${baseKey}${manifestSuffix}`;
}

export function isManifestKey(key: string): boolean {
  return key.endsWith(manifestSuffix);
}

/** Of a manifest or of data; undefined if the key is neither. */
export function baseKeyIn(key: string): string | undefined {
  if (isManifestKey(key)) return key.slice(0, -manifestSuffix.length);
  return dataSuffix.test(key) ? key.replace(dataSuffix, '') : undefined;
}

/** What the name says about the content, of a bare file without a manifest. */
export function formOf(key: string): { readonly compression: Compression; readonly isEncrypted: boolean } {
  const isEncrypted = key.endsWith('.enc');
  return { compression: key.replace(/\.enc$/, '').endsWith('.gz') ? 'gzip' : 'none', isEncrypted };
}

/** `ns/cluster/` of `ns/cluster/name`. */
export function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}
