/**
 * What the platform said, and which error of the catalogue that is. The mapping is a table: a code that turns out to
 * mean something gets a line there.
 */
import { ApiError, redact, redactText } from '@ecsm/runtime';
import { bounded } from './bounded.ts';

/** Characters of a message or reason; somebody reads it in a terminal or a condition. */
export const reasonCharactersMax = 300;
/** Causes of causes that are looked through. */
const causesMax = 16;

/** What a call is about, for people. */
export interface About {
  /** `GET /service/:id`. */
  readonly endpoint: string;
  readonly kind: string | undefined;
  readonly name: string | undefined;
}

export interface PlatformAnswerDetails {
  readonly httpStatus: number;
  /** The envelope's `status`; undefined if there was no envelope. */
  readonly code: number | undefined;
  readonly message: string;
  readonly fieldErrors?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** The platform's own words, as the cause of an error. Without secrets, and of bounded length. */
export class PlatformAnswer extends Error {
  override readonly name = 'PlatformAnswer';
  readonly httpStatus: number;
  readonly code: number | undefined;
  /** As it came, null if there was none: the platform's documentation does not say what it is. */
  readonly fieldErrors: unknown;
  /** How long the platform asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor({ httpStatus, code, message, fieldErrors, retryAfterMs }: PlatformAnswerDetails) {
    super(bounded(redactText(message.slice(0, reasonCharactersMax * 4)), reasonCharactersMax));
    this.httpStatus = httpStatus;
    this.code = code;
    this.fieldErrors = redact(fieldErrors ?? null);
    this.retryAfterMs = retryAfterMs;
  }
}

/** What somebody else's error says, safe to show. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? redactText(error.message) : 'no reason given';
}

/** What the platform said, if an error goes back to that. */
export function platformAnswer(error: unknown): PlatformAnswer | undefined {
  let cause = error;
  for (let depth = 0; depth < causesMax && cause instanceof Error; depth++) {
    if (cause instanceof PlatformAnswer) return cause;
    cause = cause.cause;
  }
  return undefined;
}

type Verdict = 'AlreadyExists' | 'NotFound' | 'Conflict' | 'Forbidden' | 'Unavailable' | 'Rejected';

/** Codes of the platform, and of HTTP where the platform uses those. Any other is in the range rule below. */
const verdicts: ReadonlyMap<number, Verdict> = new Map([
  [31006, 'AlreadyExists'],
  [401, 'Forbidden'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [408, 'Unavailable'],
  [409, 'Conflict'],
  [429, 'Unavailable'],
]);

const made: { readonly [V in Verdict]: (about: About, reason: string, cause: PlatformAnswer) => ApiError } = {
  AlreadyExists: (about, _, cause) => new ApiError('AlreadyExists', subject(about, 'object'), cause),
  NotFound: (about, _, cause) => new ApiError('NotFound', subject(about, 'path'), cause),
  Conflict: (about, reason, cause) => new ApiError('Conflict', { ...subject(about, 'call'), reason }, cause),
  Forbidden: ({ endpoint }, reason, cause) => new ApiError('Forbidden', { reason: `${endpoint}: ${reason}` }, cause),
  Unavailable: ({ endpoint }, reason, cause) => new ApiError('Unavailable', { what: endpoint, reason }, cause),
  Rejected: ({ endpoint }, reason, cause) => new ApiError('Rejected', { what: endpoint, reason }, cause),
};

/** The error that an answer other than success stands for. The envelope's code says more than the HTTP status. */
export function errorFor(answer: PlatformAnswer, about: About): ApiError {
  const { code, httpStatus } = answer;
  const decisive = code === undefined || code === 200 ? httpStatus : code;
  const verdict = verdicts.get(decisive) ?? (decisive >= 500 && decisive <= 599 ? 'Unavailable' : 'Rejected');
  return made[verdict](about, reasonOf(answer), answer);
}

/** `the name is taken (code 31006); fields: {"name":"taken"}`. */
function reasonOf({ message, code, httpStatus, fieldErrors }: PlatformAnswer): string {
  const said = message === '' ? 'no reason given' : message;
  const number = code === undefined ? `HTTP ${httpStatus}` : `code ${code}`;
  const fields = fieldErrors === null || fieldErrors === '' ? '' : `; fields: ${textOf(fieldErrors)}`;
  return bounded(`${bounded(said, reasonCharactersMax / 2)} (${number})${fields}`, reasonCharactersMax);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function subject({ endpoint, kind, name }: About, otherwise: string): { readonly kind: string; readonly name: string } {
  return { kind: kind ?? otherwise, name: name ?? endpoint };
}
