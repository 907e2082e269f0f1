/**
 * Parses the envelope `{status, message, data, fieldErrors}` of a platform response. A body without an envelope is not
 * from the platform (a proxy, a login page) or was damaged in transit; the error describes it.
 */
import { ApiError, isSecretName, redact, type Shape, shape } from '@ecsm/runtime';
import { bounded, excerpt } from './bounded.ts';
import { type CallSubject, errorFor, PlatformResponse, reasonCharactersMax } from './errors.ts';
import type { WireResponse } from './transport.ts';

const success = 200;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Longer texts are only cut, not parsed and redacted, for an excerpt. */
const excerptSourceMax = 65_536;
const retryAfterSecondsMax = 3_600;

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly fieldErrors: unknown;
}

/** An envelope, or a description of the body that is not one. */
type ParsedBody = { readonly envelope: Envelope } | { readonly problem: string };

/**
 * Returns the envelope's `data`, validated against `wanted`; absent data is null. Throws the `ApiError` for an error
 * response, or `BadAnswer` for an unexpected one.
 */
export function readResponse<T>(response: WireResponse, subject: CallSubject, wanted: Shape<T>): T {
  const parsed = parseEnvelope(response);
  if ('problem' in parsed) throw errorWithoutEnvelope(response, subject, parsed.problem);
  const { envelope } = parsed;
  if (envelope.code !== success || response.status >= 400)
    throw errorFor(toPlatformResponse(response, envelope), subject);
  if (response.status < 200 || response.status > 299) throw badResponse(subject, redirection(response));
  const reason = shape.complaint(wanted, envelope.data, 'data');
  if (reason !== undefined) throw badResponse(subject, hideSecret(reason), toPlatformResponse(response, envelope));
  // Validated above.
  return envelope.data as T;
}

function toPlatformResponse(response: WireResponse, { code, message, fieldErrors }: Envelope): PlatformResponse {
  // The envelope reports success, the HTTP status does not.
  const reported = code === success && response.status >= 400 ? `HTTP ${response.status}, ${message}` : message;
  const waitMs = retryAfterMs(response, code);
  return new PlatformResponse({
    httpStatus: response.status,
    code,
    message: reported,
    fieldErrors,
    retryAfterMs: waitMs,
  });
}

function errorWithoutEnvelope(response: WireResponse, subject: CallSubject, problem: string): ApiError {
  if (response.status >= 400) {
    const reported = new PlatformResponse({
      httpStatus: response.status,
      code: undefined,
      message: problem,
      retryAfterMs: retryAfterMs(response, response.status),
    });
    // A 404 without an envelope means that the path is unknown, not that the object was deleted.
    return errorFor(reported, { ...subject, kind: undefined, name: undefined });
  }
  return badResponse(subject, response.status >= 300 ? redirection(response) : problem);
}

function badResponse({ endpoint }: CallSubject, reason: string, cause?: PlatformResponse): ApiError {
  return new ApiError('BadAnswer', { what: endpoint, reason: bounded(reason, reasonCharactersMax) }, cause);
}

function redirection({ status, headers }: WireResponse): string {
  const { location } = headers;
  return `HTTP ${status}${location === undefined ? '' : `, a redirection to ${excerpt(location)}`}`;
}

function parseEnvelope(response: WireResponse): ParsedBody {
  const encoding = response.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    return { problem: `the body is compressed (${excerpt(encoding, 20)}), although no encoding was requested` };
  const text = decode(response.body);
  if (text === undefined) return { problem: `the body is not UTF-8: ${excerpt(decodeLossy(response.body))}` };
  if (text.trim() === '') return { problem: 'the body is empty' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: describeBody(text) };
  }
  return envelopeOf(value, text);
}

function envelopeOf(value: unknown, text: string): ParsedBody {
  const code = shape.isObject(value) ? codeOf(value['status']) : undefined;
  if (!shape.isObject(value) || code === undefined) {
    const shown = text.length > excerptSourceMax ? text : (JSON.stringify(redact(value)) ?? text);
    return { problem: `the body is JSON, but not an envelope with a status: ${excerpt(shown)}` };
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

function describeBody(text: string): string {
  const start = text.slice(0, 200).trimStart();
  if (/^<(?:!doctype|html|head|body|h\d|title|center|p|div|!--)/i.test(start))
    return `the body is HTML, perhaps from a proxy: ${excerpt(text)}`;
  if (/^[{[]/.test(start)) return `the body is JSON that is damaged or cut short: ${excerpt(text)}`;
  return `the body is not JSON: ${excerpt(text)}`;
}

/** Returns undefined if the body is not UTF-8. A byte order mark is dropped. */
function decode(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

function decodeLossy(body: Uint8Array): string {
  return new TextDecoder('utf-8').decode(body.subarray(0, 1_000));
}

/** Removes the value of a secret field from a validation message: a password may be a number, which is shown. */
function hideSecret(reason: string): string {
  const [place = '', value] = reason.split(', but is ');
  return value !== undefined && isSecretName(place) ? `${place}, but is not` : reason;
}

/** `retry-after` in seconds, for 429 and 503 only. The date form is ignored: it would need the platform's clock. */
function retryAfterMs({ status, headers }: WireResponse, code: number): number | undefined {
  const seconds = headers['retry-after']?.trim();
  const isBusy = [status, code].some((number) => number === 429 || number === 503);
  if (!isBusy || seconds === undefined || !/^\d{1,9}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds), retryAfterSecondsMax) * 1000;
}
