/** Where a bucket is served, and the path of an object there. */
import type { S3Destination } from '../contract.ts';
import { StorageError } from '../error.ts';
import { encodePath } from './signature.ts';

const regionDefault = 'us-east-1';

export interface BucketAddress {
  readonly bucket: string;
  readonly region: string;
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** The `Host` header: without the port if it is the usual one. */
  readonly hostHeader: string;
  /** Of the bucket: `/` or `/bucket`. */
  readonly bucketPath: string;
  /** For messages, such as `the bucket "backups" at https://minio.example.com:9000`. */
  readonly label: string;
}

/** Throws `Other` if the endpoint or the bucket is not valid. */
export function bucketAddress({ bucket, region, endpoint, forcePathStyle }: S3Destination): BucketAddress {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/.test(bucket)) {
    throw new StorageError('Other', `${JSON.stringify(bucket)} is not a valid name of a bucket`);
  }
  const at = region === undefined || region === '' ? regionDefault : region;
  if (!/^[a-zA-Z0-9_-]+$/.test(at)) {
    throw new StorageError(
      'Other',
      `${JSON.stringify(region)} is not a valid region, such as "us-east-1" or "eu-west-1"`,
    );
  }
  const url = endpoint === undefined || endpoint === '' ? amazon(at) : parsed(endpoint);
  // A certificate for *.s3.example.com does not cover a bucket with a dot.
  const isDotted = url.protocol === 'https:' && bucket.includes('.');
  const isPathStyle = forcePathStyle ?? (Boolean(endpoint) || isDotted);
  const prefix = isPathStyle ? '' : `${bucket}.`;
  const isTls = url.protocol === 'https:';
  return {
    bucket,
    region: at,
    isTls,
    // An IPv6 address is in brackets only in a URL.
    host: prefix + url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    hostHeader: prefix + url.host,
    bucketPath: isPathStyle ? `/${bucket}` : '/',
    label: `the bucket "${bucket}" at ${url.origin}`,
  };
}

/** Percent-encoded. Without a key, of the bucket. */
export function pathOf({ bucketPath }: BucketAddress, key: string | undefined): string {
  if (key === undefined) return bucketPath;
  return `${bucketPath === '/' ? '' : bucketPath}/${encodePath(key)}`;
}

function amazon(region: string): URL {
  return new URL(`https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
}

function parsed(endpoint: string): URL {
  const problem = (what: string) =>
    new StorageError('Other', `the endpoint ${what}: write it as "https://host" or "http://host:port"`);
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw problem(`${JSON.stringify(endpoint)} is not a URL`);
  }
  if (url.username !== '' || url.password !== '') throw problem('contains credentials, which belong into a Secret');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw problem(`${JSON.stringify(endpoint)} is not of HTTP`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw problem(
      `${JSON.stringify(endpoint)} has more than a host and a port; bucket and path are settings of their own`,
    );
  }
  return url;
}
