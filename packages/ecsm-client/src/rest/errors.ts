/**
 * Maps error responses of the platform to `ApiError`. The mapping is a table by code.
 */
import { ApiError, redact, redactText } from '@ecsm/runtime';
import { bounded } from './bounded.ts';

/** Maximum length of a message or reason: it is shown in terminals and conditions. */
export const reasonCharactersMax = 300;
/** Maximum depth of nested causes that is searched. */
const causesMax = 16;

/** The subject of a call, for error messages. */
export interface CallSubject {
  /** `GET /service/:id`. */
  readonly endpoint: string;
  readonly kind: string | undefined;
  readonly name: string | undefined;
}

interface PlatformResponseDetails {
  readonly httpStatus: number;
  /** The envelope's `status`; undefined if there was no envelope. */
  readonly code: number | undefined;
  readonly message: string;
  readonly fieldErrors?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** An error response of the platform, as the cause of an `ApiError`. Without secrets, and of bounded length. */
export class PlatformResponse extends Error {
  override readonly name = 'PlatformResponse';
  readonly httpStatus: number;
  readonly code: number | undefined;
  /** As received, null if absent: its form is not documented. */
  readonly fieldErrors: unknown;
  /** The platform's `retry-after`. */
  readonly retryAfterMs: number | undefined;

  constructor({ httpStatus, code, message, fieldErrors, retryAfterMs }: PlatformResponseDetails) {
    super(bounded(redactText(message.slice(0, reasonCharactersMax * 4)), reasonCharactersMax));
    this.httpStatus = httpStatus;
    this.code = code;
    this.fieldErrors = redact(fieldErrors ?? null);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The message of a foreign error, without secrets. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? redactText(error.message) : 'no reason given';
}

/** The platform's error response in the chain of causes; undefined if there is none. */
export function platformResponse(error: unknown): PlatformResponse | undefined {
  let cause = error;
  for (let depth = 0; depth < causesMax && cause instanceof Error; depth++) {
    if (cause instanceof PlatformResponse) return cause;
    cause = cause.cause;
  }
  return undefined;
}

type MappedCode = 'AlreadyExists' | 'NotFound' | 'Conflict' | 'Forbidden' | 'Unavailable' | 'Rejected';

/** By code of the platform, or HTTP status. Codes that are not listed are mapped by range in `errorFor`. */
const mappedCodes: ReadonlyMap<number, MappedCode> = new Map([
  [31006, 'AlreadyExists'],
  [401, 'Forbidden'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [408, 'Unavailable'],
  [409, 'Conflict'],
  [429, 'Unavailable'],
]);

const createError: {
  readonly [V in MappedCode]: (subject: CallSubject, reason: string, cause: PlatformResponse) => ApiError;
} = {
  AlreadyExists: (subject, _, cause) => new ApiError('AlreadyExists', kindAndName(subject, 'object'), cause),
  NotFound: (subject, _, cause) => new ApiError('NotFound', kindAndName(subject, 'path'), cause),
  Conflict: (subject, reason, cause) => new ApiError('Conflict', { ...kindAndName(subject, 'call'), reason }, cause),
  Forbidden: ({ endpoint }, reason, cause) => new ApiError('Forbidden', { reason: `${endpoint}: ${reason}` }, cause),
  Unavailable: ({ endpoint }, reason, cause) => new ApiError('Unavailable', { what: endpoint, reason }, cause),
  Rejected: ({ endpoint }, reason, cause) => new ApiError('Rejected', { what: endpoint, reason }, cause),
};

/** Returns the error for a response other than success. The envelope's code has precedence over the HTTP status. */
export function errorFor(response: PlatformResponse, subject: CallSubject): ApiError {
  const { code, httpStatus } = response;
  const decisive = code === undefined || code === 200 ? httpStatus : code;
  const mapped = mappedCodes.get(decisive) ?? (decisive >= 500 && decisive <= 599 ? 'Unavailable' : 'Rejected');
  return createError[mapped](subject, reasonOf(response), response);
}

/** `the name is taken (code 31006); fields: {"name":"taken"}`. */
function reasonOf({ message, code, httpStatus, fieldErrors }: PlatformResponse): string {
  const reported = message === '' ? 'no reason given' : message;
  const number = code === undefined ? `HTTP ${httpStatus}` : `code ${code}`;
  const fields = fieldErrors === null || fieldErrors === '' ? '' : `; fields: ${textOf(fieldErrors)}`;
  return bounded(`${bounded(reported, reasonCharactersMax / 2)} (${number})${fields}`, reasonCharactersMax);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function kindAndName(
  { endpoint, kind, name }: CallSubject,
  otherwise: string,
): { readonly kind: string; readonly name: string } {
  return { kind: kind ?? otherwise, name: name ?? endpoint };
}
