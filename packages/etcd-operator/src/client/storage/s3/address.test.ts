import { describe, expect, it } from 'vitest';
import type { S3Destination } from '../contract.ts';
import { bucketAddress, pathOf } from './address.ts';

const address = (destination: Partial<S3Destination>) =>
  bucketAddress({ type: 'S3', bucket: 'backups', ...destination });

describe('the address of a bucket', () => {
  it.each<[string, Partial<S3Destination>, string, string]>([
    ['Amazon', {}, 'backups.s3.us-east-1.amazonaws.com', '/a%20b'],
    ['a region', { region: 'eu-west-1' }, 'backups.s3.eu-west-1.amazonaws.com', '/a%20b'],
    ['China', { region: 'cn-north-1' }, 'backups.s3.cn-north-1.amazonaws.com.cn', '/a%20b'],
    ['a name with a dot', { bucket: 'a.b' }, 's3.us-east-1.amazonaws.com', '/a.b/a%20b'],
    ['path style', { forcePathStyle: true }, 's3.us-east-1.amazonaws.com', '/backups/a%20b'],
    ['an endpoint', { endpoint: 'http://minio:9000' }, 'minio:9000', '/backups/a%20b'],
    ['an endpoint with its usual port', { endpoint: 'https://minio:443/' }, 'minio', '/backups/a%20b'],
    ['host style', { endpoint: 'http://minio:9000', forcePathStyle: false }, 'backups.minio:9000', '/a%20b'],
    ['IPv6', { endpoint: 'http://[::1]:9000' }, '[::1]:9000', '/backups/a%20b'],
  ])('of %s', (_name, destination, host, path) => {
    const found = address(destination);
    expect(found.hostHeader).toBe(host);
    expect(pathOf(found, 'a b')).toBe(path);
  });

  it.each<[Partial<S3Destination>, string]>([
    [{ bucket: 'a/b' }, 'not a valid name of a bucket'],
    [{ bucket: '' }, 'not a valid name of a bucket'],
    [{ region: 'eu west' }, 'not a valid region'],
    [{ endpoint: 'minio:9000' }, 'is not of HTTP'],
    [{ endpoint: 'minio' }, 'is not a URL'],
    [{ endpoint: 'https://minio/backups' }, 'more than a host and a port'],
    [{ endpoint: 'https://user:secret@minio' }, 'contains credentials'],
  ])('is refused for %j', (destination, message) => {
    expect(() => address(destination)).toThrow(message);
    expect(() => address(destination)).not.toThrow('secret@');
  });

  it('is without brackets for a connection to an IPv6 address', () => {
    expect(address({ endpoint: 'http://[::1]:9000' })).toMatchObject({ host: '::1', port: 9_000, isTls: false });
  });
});
