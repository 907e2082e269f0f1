/**
 * Opens the envelope `{status, message, data, fieldErrors}` that every answer of the platform comes in. What is not an
 * envelope came from somebody else (a proxy, a login page) or was damaged on the way, and is said to be that.
 */
import { ApiError, isSecretName, redact, type Shape, shape } from '@ecsm/runtime';
import { bounded, excerpt } from './bounded.ts';
import { type About, errorFor, PlatformAnswer, reasonCharactersMax } from './errors.ts';
import type { WireAnswer } from './transport.ts';

const success = 200;
/** Longer texts are only cut, not parsed and redacted, for an excerpt. */
const excerptSourceMax = 65_536;
const retryAfterSecondsMax = 3_600;

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly fieldErrors: unknown;
}

/** An envelope, or what the body is instead. */
type Opened = { readonly envelope: Envelope } | { readonly problem: string };

/**
 * The envelope's `data`, checked; absent data is null. Throws the error of the catalogue that the answer stands for, or
 * `BadAnswer` when it makes no sense.
 */
export function readAnswer<T>(answer: WireAnswer, about: About, wanted: Shape<T>): T {
  const opened = open(answer);
  if ('problem' in opened) throw withoutEnvelope(answer, about, opened.problem);
  const { envelope } = opened;
  if (envelope.code !== success || answer.status >= 400) throw errorFor(saidIn(answer, envelope), about);
  if (answer.status < 200 || answer.status > 299) throw badAnswer(about, redirection(answer));
  const complaint = shape.complaint(wanted, envelope.data, 'data');
  if (complaint !== undefined) throw badAnswer(about, withoutValue(complaint), saidIn(answer, envelope));
  // The check above is what makes it one.
  return envelope.data as T;
}

function saidIn(answer: WireAnswer, { code, message, fieldErrors }: Envelope): PlatformAnswer {
  // A success that HTTP contradicts.
  const said = code === success && answer.status >= 400 ? `HTTP ${answer.status}, ${message}` : message;
  const waitMs = retryAfterMs(answer, code);
  return new PlatformAnswer({ httpStatus: answer.status, code, message: said, fieldErrors, retryAfterMs: waitMs });
}

function withoutEnvelope(answer: WireAnswer, about: About, problem: string): ApiError {
  if (answer.status >= 400) {
    const said = new PlatformAnswer({
      httpStatus: answer.status,
      code: undefined,
      message: problem,
      retryAfterMs: retryAfterMs(answer, answer.status),
    });
    // A 404 that is not the platform's says that the path is unknown, not that the object is gone.
    return errorFor(said, { ...about, kind: undefined, name: undefined });
  }
  return badAnswer(about, answer.status >= 300 ? redirection(answer) : problem);
}

function badAnswer({ endpoint }: About, reason: string, cause?: PlatformAnswer): ApiError {
  return new ApiError('BadAnswer', { what: endpoint, reason: bounded(reason, reasonCharactersMax) }, cause);
}

function redirection({ status, headers }: WireAnswer): string {
  const { location } = headers;
  return `HTTP ${status}${location === undefined ? '' : `, a redirection to ${excerpt(location)}`}`;
}

function open(answer: WireAnswer): Opened {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    return { problem: `the body is compressed (${excerpt(encoding, 20)}), which nobody asked for` };
  const text = decode(answer.body);
  if (text === undefined) return { problem: `the body is not UTF-8: ${excerpt(loosely(answer.body))}` };
  if (text.trim() === '') return { problem: 'the body is empty' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: whatElse(text) };
  }
  return openJson(value, text);
}

function openJson(value: unknown, text: string): Opened {
  const code = shape.isObject(value) ? codeOf(value['status']) : undefined;
  if (!shape.isObject(value) || code === undefined) {
    const shown = text.length > excerptSourceMax ? text : (JSON.stringify(redact(value)) ?? text);
    return { problem: `the body is JSON, but no envelope with a status: ${excerpt(shown)}` };
  }
  const message = value['message'];
  return {
    envelope: {
      code,
      message: typeof message === 'string' ? message : '',
      data: value['data'] ?? null,
      fieldErrors: value['fieldErrors'],
    },
  };
}

function codeOf(status: unknown): number | undefined {
  const code = typeof status === 'string' && /^-?\d{1,15}$/.test(status.trim()) ? Number(status) : status;
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined;
}

function whatElse(text: string): string {
  const start = text.slice(0, 200).trimStart();
  if (/^<(?:!doctype|html|head|body|h\d|title|center|p|div|!--)/i.test(start))
    return `the body is HTML, perhaps from a proxy: ${excerpt(text)}`;
  if (/^[{[]/.test(start)) return `the body is JSON that is damaged or cut short: ${excerpt(text)}`;
  return `the body is not JSON: ${excerpt(text)}`;
}

/** Undefined if it is not UTF-8. A byte order mark is left out. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function loosely(body: Uint8Array): string {
  return new TextDecoder('utf-8').decode(body.subarray(0, 1_000));
}

/** A number is shown in a complaint, and a password may be one. */
function withoutValue(complaint: string): string {
  const [place = '', value] = complaint.split(', but is ');
  return value !== undefined && isSecretName(place) ? `${place}, but is not` : complaint;
}

/** `retry-after` in seconds, where it has a meaning. Its other form, a date, would need the platform's clock. */
function retryAfterMs({ status, headers }: WireAnswer, code: number): number | undefined {
  const seconds = headers['retry-after']?.trim();
  const isBusy = [status, code].some((number) => number === 429 || number === 503);
  if (!isBusy || seconds === undefined || !/^\d{1,9}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds), retryAfterSecondsMax) * 1000;
}
