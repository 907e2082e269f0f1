/**
 * Errors of etcd. Inside this folder a failure has a kind; the store converts the kind to an error of the catalogue.
 * Both steps are tables.
 */
import { ApiError } from '../../api/errors.ts';

export type FailureKind =
  | 'compacted'
  | 'future'
  | 'full'
  | 'requestTooLarge'
  | 'answerTooLarge'
  | 'timeout'
  | 'unavailable'
  | 'token'
  | 'authenticationOff'
  | 'denied'
  | 'refused'
  | 'corrupt'
  | 'aborted';

interface FailureOptions {
  readonly sent?: boolean;
  readonly requestBytes?: number;
  readonly cause?: unknown;
}

export class EtcdFailure extends Error {
  override readonly name = 'EtcdFailure';
  readonly kind: FailureKind;
  /** False if etcd cannot have received the request, so that even a commit can be retried. */
  readonly sent: boolean;
  readonly requestBytes: number;

  constructor(kind: FailureKind, reason: string, options: FailureOptions = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.sent = options.sent ?? true;
    this.requestBytes = options.requestBytes ?? 0;
  }
}

/** etcd's messages, which are more specific than its codes: the first match wins. */
const kindsByMessage: readonly (readonly [RegExp, FailureKind])[] = [
  [/required revision has been compacted/, 'compacted'],
  [/required revision is a future revision/, 'future'],
  [/database space exceeded|alarm:NOSPACE/i, 'full'],
  [/request is too large|message larger than max/, 'requestTooLarge'],
  [/invalid auth token|user name is empty|revision of auth store is old/, 'token'],
  [/authentication is not enabled/, 'authenticationOff'],
  [/permission denied|authentication failed/, 'denied'],
  [/request timed out|deadline exceeded/, 'timeout'],
  [/corrupt/, 'corrupt'],
];

/** gRPC codes, for messages not in the table above. Any other may or may not have been applied: `unavailable`. */
const kindsByCode: ReadonlyMap<number, FailureKind> = new Map([
  [3, 'refused'],
  [4, 'timeout'],
  [7, 'denied'],
  [9, 'refused'],
  [12, 'refused'],
  [15, 'corrupt'],
  [16, 'token'],
]);

/** A failure that etcd reported, by its message and its gRPC code. */
export function reportedFailure(message: string, code: number, requestBytes = 0): EtcdFailure {
  const kind = kindsByMessage.find(([words]) => words.test(message))?.[1] ?? kindsByCode.get(code) ?? 'unavailable';
  return new EtcdFailure(kind, message, { requestBytes });
}

/** A response that is not from etcd: a proxy, another server, a truncated body. The request may have been applied. */
export function malformed(what: string): EtcdFailure {
  return new EtcdFailure('unavailable', `malformed response: ${what}`);
}

/** Whether another endpoint, or the same one later, may succeed. */
export function isUnreachable(failure: EtcdFailure): boolean {
  return failure.kind === 'unavailable' || failure.kind === 'timeout';
}

/** etcd's default; the configured limit of a server cannot be read. */
const requestBytesMax = 1.5 * 1024 * 1024;

interface FailureContext {
  /** `etcd at http://host:2379, …`. */
  readonly what: string;
  readonly timeoutMs: number;
}

const apiErrors: { readonly [K in FailureKind]: (failure: EtcdFailure, context: FailureContext) => ApiError } = {
  compacted: (failure) =>
    new ApiError('Expired', { reason: `${failure.message}: list again and continue from there` }, failure),
  future: (failure) =>
    new ApiError('Expired', { reason: `${failure.message}: the store was replaced, list again` }, failure),
  full: (failure, { what }) => new ApiError('StorageFull', { what, reason: failure.message }, failure),
  requestTooLarge: (failure) =>
    new ApiError(
      'TooLarge',
      { what: 'the request to etcd', sizeBytes: failure.requestBytes, limitBytes: requestBytesMax },
      failure,
    ),
  answerTooLarge: unavailable,
  timeout: (failure, { what, timeoutMs }) => new ApiError('Timeout', { what, timeoutMs }, failure),
  unavailable,
  token: (failure, { what }) =>
    new ApiError('Forbidden', { reason: `${what} requires a user name and password: ${failure.message}` }, failure),
  authenticationOff: unavailable,
  denied: (failure, { what }) => new ApiError('Forbidden', { reason: `${what}: ${failure.message}` }, failure),
  refused: (failure, { what }) =>
    new ApiError('BadRequest', { reason: `${what} refused the request: ${failure.message}` }, failure),
  corrupt: (failure, { what }) => new ApiError('Corrupt', { what, reason: failure.message }, failure),
  aborted: unavailable,
};

function unavailable(failure: EtcdFailure, { what }: FailureContext): ApiError {
  return new ApiError('Unavailable', { what, reason: failure.message }, failure);
}

/** Converts a failure of this folder to an error of the catalogue; returns any other error unchanged. */
export function toApiError(error: unknown, context: FailureContext): unknown {
  return error instanceof EtcdFailure ? apiErrors[error.kind](error, context) : error;
}
