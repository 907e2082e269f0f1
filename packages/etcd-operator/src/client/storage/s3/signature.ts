/**
 * Signature Version 4 of AWS, in the `Authorization` header. Pure: the time is given. All headers of the request are signed.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from 'node:crypto';
import { timestampAt } from '@ecsm/runtime';
import type { S3Credentials } from '../contract.ts';

/** Of an empty body, in hexadecimal. */
export const emptySha256 = sha256Hex('');

export interface RequestToSign {
  readonly method: string;
  /** Percent-encoded, as it is sent: S3 does not encode it again. */
  readonly path: string;
  /** Not encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** With `host`, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in hexadecimal. */
  readonly payloadSha256: string;
}

interface Scope {
  readonly region: string;
  /** Default: `s3`. */
  readonly service?: string;
  readonly timeMs: number;
}

/** Returns all headers to send. */
export function signed(
  request: RequestToSign,
  credentials: S3Credentials,
  { region, service = 's3', timeMs }: Scope,
): Record<string, string> {
  const time = amzTime(timeMs);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': request.payloadSha256,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    request.path,
    queryString(request.query),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    request.payloadSha256,
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  const key = [time.slice(0, 8), region, service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** Sorted and encoded, as it is signed and sent. */
export function queryString(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Everything but letters, digits and `-._~` is encoded; `/` between segments is not. */
export function encodePath(path: string): string {
  return path.split('/').map(encode).join('/');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Such as `20130524T000000Z`. */
function amzTime(timeMs: number): string {
  return timestampAt(timeMs).replace(/[-:]/g, '');
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
