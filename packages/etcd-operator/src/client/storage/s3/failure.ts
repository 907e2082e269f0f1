/** Which error a refused request is: by the code that S3 names in its answer, by the status, or by the connection. */
import { connectionErrorCode, describeConnectionError } from '@ecsm/runtime';
import type { StorageErrorCode } from '../contract.ts';
import { StorageError } from '../error.ts';
import type { BucketAddress } from './address.ts';
import { parseXml, textOf } from './xml.ts';

/** A failure that may pass: the request is repeated. */
export class TransientError extends StorageError {}

/** An answer that is not a success. */
export interface Refusal {
  readonly status: number;
  /** S3's, such as `NoSuchKey`; empty if the answer names none. */
  readonly code: string;
  readonly message: string;
  /** Where the bucket is, if the store says so. */
  readonly region: string;
  /** Of the server, if it is known. */
  readonly serverTime: string;
}

interface Meaning {
  readonly code: StorageErrorCode;
  /** What to do. */
  readonly advice: string;
}

const messageLengthMax = 300;
const otherRegion: Meaning = { code: 'Other', advice: 'set the region or the endpoint of the bucket' };
const wrongSecret: Meaning = {
  code: 'Denied',
  advice: 'the secret access key is not the one of the access key id, or a proxy changes requests: check the Secret',
};
const unknownKey: Meaning = {
  code: 'Denied',
  advice: 'the store does not know the access key id: check the Secret',
};
const notFound: Meaning = { code: 'NotFound', advice: 'there is no such object' };
const damaged: Meaning = {
  code: 'Corrupt',
  advice: 'the bytes were changed on the way to the store: check the network',
};
const full: Meaning = { code: 'Full', advice: 'delete old backups, or raise the quota of the store' };

const meanings: ReadonlyMap<string, Meaning> = new Map(
  Object.entries<Meaning>({
    NoSuchKey: notFound,
    NotFound: notFound,
    NoSuchBucket: { code: 'NoBucket', advice: 'create the bucket, or correct its name and the endpoint' },
    PreconditionFailed: { code: 'AlreadyExists', advice: 'the object exists already' },
    AccessDenied: { code: 'Denied', advice: '' },
    AllAccessDisabled: { code: 'Denied', advice: 'the store has disabled this bucket: ask its administrator' },
    InvalidAccessKeyId: unknownKey,
    XAdminUserNotFound: unknownKey,
    SignatureDoesNotMatch: wrongSecret,
    InvalidToken: { code: 'Denied', advice: 'the session token is not valid: renew the credentials in the Secret' },
    ExpiredToken: { code: 'Expired', advice: 'the credentials have expired: renew them in the Secret' },
    TokenRefreshRequired: { code: 'Expired', advice: 'the credentials have expired: renew them in the Secret' },
    RequestTimeTooSkewed: {
      code: 'Denied',
      advice: 'the clocks of this machine and of the store differ: correct them',
    },
    RequestExpired: { code: 'Denied', advice: 'the clocks of this machine and of the store differ: correct them' },
    PermanentRedirect: otherRegion,
    TemporaryRedirect: otherRegion,
    AuthorizationHeaderMalformed: otherRegion,
    IllegalLocationConstraintException: otherRegion,
    BadDigest: damaged,
    XAmzContentSHA256Mismatch: damaged,
    QuotaExceeded: full,
    XMinioStorageFull: full,
    XMinioAdminBucketQuotaExceeded: full,
    InsufficientStorage: full,
  }),
);

/** Codes of failures that pass, whatever their status is. Damaged bytes are sent again too. */
const transientCodes = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'OperationAborted',
  'ConditionalRequestConflict',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'TooManyRequests',
  'ThrottlingException',
]);
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

interface AnswerHead {
  readonly status: number;
  header(name: string): string;
}

/** `text` is the body, which is empty for HEAD. */
export function refusalOf(answer: AnswerHead, text: string): Refusal {
  const root = parseXml(text);
  const error = root?.name === 'Error' ? root : undefined;
  return {
    status: answer.status,
    code: textOf(error, 'Code'),
    message: textOf(error, 'Message').slice(0, messageLengthMax),
    region: answer.header('x-amz-bucket-region') || textOf(error, 'Region'),
    serverTime: answer.header('date'),
  };
}

/** `action` is the permission that is needed, such as `s3:PutObject`. */
export function refusalError(refusal: Refusal, address: BucketAddress, action: string): StorageError {
  const { status, code } = refusal;
  const { code: meaning, advice } = meaningOf(refusal, address, action);
  const what = [`${address.label}: HTTP status ${status}`, code, refusal.message]
    .filter((part) => part !== '')
    .join(', ');
  const message = advice === '' ? what : `${what}: ${advice}`;
  const isTransient = transientCodes.has(code) || (!meanings.has(code) && transientStatuses.has(status));
  return isTransient ? new TransientError(meaning, message) : new StorageError(meaning, message);
}

function meaningOf({ status, code, region, serverTime }: Refusal, address: BucketAddress, action: string): Meaning {
  const known = meanings.get(code);
  if (region !== '' && region !== address.region && (known === otherRegion || status === 301 || status === 400)) {
    return {
      code: 'Other',
      advice: `the bucket is in the region "${region}", not in "${address.region}": set that region`,
    };
  }
  if (known?.advice === '') return denied(action);
  if (known?.advice.includes('clocks') && serverTime !== '') {
    return { ...known, advice: `${known.advice}; the store's is ${serverTime}` };
  }
  if (known) return known;
  if (code === 'RequestTimeout' || status === 408)
    return { code: 'Timeout', advice: 'the store did not receive the request in time' };
  if (transientCodes.has(code) || transientStatuses.has(status))
    return { code: 'Unavailable', advice: 'try again later' };
  if (status === 401 || status === 403) return denied(action);
  // A store names the reason: a page of another server must not look like a missing object.
  if (status === 404) return { code: 'Other', advice: 'this is not the answer of an S3 store: check the endpoint' };
  if (status === 412) return { code: 'AlreadyExists', advice: 'the object exists already' };
  if (status === 507) return full;
  if (status >= 300 && status < 400) return otherRegion;
  return { code: 'Other', advice: '' };
}

function denied(action: string): Meaning {
  return { code: 'Denied', advice: `the credentials do not allow "${action}": grant it, or use other credentials` };
}

/** Certificates are not accepted by a second attempt; everything else may pass. */
export function connectionFailure(error: Error, label: string): StorageError {
  const code = connectionErrorCode(error);
  const text = `${label}: ${describeConnectionError(code)}${code === '' ? '' : ` (${code})`}`;
  if (/^(ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(code)) {
    return new StorageError('Denied', `${text}: give the certificate authority of the endpoint`);
  }
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return new StorageError('Other', `${text}: use an endpoint with "http://" if it has no TLS`);
  }
  return new TransientError('Unavailable', text);
}
