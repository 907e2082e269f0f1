/**
 * Kubernetes' `Status` responses as errors of the catalogue. Server messages are bounded and redacted: they can quote
 * what was sent.
 */
import { ApiError, type ConflictCause, type FieldError, redactText, shape } from '@ecsm/runtime';

const { list, nullable, number, object, optional, string } = shape;
const text = optional(nullable(string()));

const causeShape = object({ reason: text, message: text, field: text });
const statusShape = object({
  message: text,
  reason: text,
  code: optional(nullable(number())),
  details: optional(
    nullable(
      object({
        name: text,
        group: text,
        kind: text,
        causes: optional(nullable(list(causeShape))),
        retryAfterSeconds: optional(nullable(number())),
      }),
    ),
  ),
});

type KubernetesStatus = shape.Shaped<typeof statusShape>;
type Cause = shape.Shaped<typeof causeShape>;

/** What a request was about, for its errors. */
export interface Subject {
  /** `Widget`. */
  readonly kind: string;
  /** `widgets`; the server uses it in its messages. */
  readonly plural: string;
  /** Of the object; empty for a list. */
  readonly name: string;
}

export interface ErrorContext {
  readonly subject: Subject | undefined;
  /** `PATCH /apis/example.io/v1/…`, without the query. */
  readonly what: string;
  /** `https://host:6443`. */
  readonly server: string;
  /** `context "site-7"`. */
  readonly connection: string;
  readonly requestBytes: number;
  readonly timeoutMs: number;
}

const messageCharactersMax = 2_000;

export function isStatus(value: unknown): value is KubernetesStatus {
  return shape.isObject(value) && value['kind'] === 'Status' && statusShape.check(value) === undefined;
}

/** The error for a response of 400 or more. `body` is undefined if it was not JSON. */
export function errorOf(httpStatus: number, body: unknown, context: ErrorContext): ApiError {
  const status: KubernetesStatus = isStatus(body) ? body : {};
  const reason = status.reason || reasonsByCode.get(httpStatus) || '';
  const message = bounded(status.message || `the server answered ${httpStatus}`);
  const { subject, what, server, connection } = context;
  const details = status.details ?? {};
  const isSubject =
    subject !== undefined && (!details.kind || details.kind === subject.plural || details.kind === subject.kind);
  const kind = isSubject ? subject.kind : details.kind || 'object';
  const name = details.name || subject?.name || '';
  switch (reason) {
    case 'NotFound':
      if (details.name) return new ApiError('NotFound', { kind, name });
      return new ApiError('Rejected', { what, reason: notServed(subject, message) });
    case 'AlreadyExists':
      return new ApiError('AlreadyExists', { kind, name });
    case 'Conflict':
      return conflict(kind, name, message, details.causes ?? []);
    case 'Invalid':
      return invalid(kind, name, message, details.causes ?? []);
    case 'BadRequest': {
      const errors = strictErrors(status.message ?? '');
      if (errors.length > 0) return new ApiError('Invalid', { kind, name, errors });
      return new ApiError('BadRequest', { reason: message });
    }
    case 'Unauthorized':
      return new ApiError('Unauthorized', {
        reason: `${server} did not accept the credentials of ${connection} (Unauthorized)`,
      });
    case 'Forbidden':
      return new ApiError('Forbidden', { reason: message });
    case 'Expired':
    case 'Gone':
      return new ApiError('Expired', { reason: message });
    case 'RequestEntityTooLarge':
      return tooLarge(message, context);
    case 'Timeout':
      return new ApiError('Timeout', { what, timeoutMs: context.timeoutMs });
    case 'MethodNotAllowed':
    case 'NotAcceptable':
    case 'UnsupportedMediaType':
      return new ApiError('BadRequest', { reason: `${what}: ${message}` });
    default: {
      const [, mistyped] = /failed to create typed patch object \([^)]*\): (.*)$/s.exec(message) ?? [];
      if (mistyped !== undefined) return new ApiError('Invalid', { kind, name, errors: [typeError(mistyped)] });
      if (/request is too large|trying to send message larger than max/.test(message))
        return tooLarge(message, context);
      if (httpStatus >= 500 || httpStatus === 429)
        return new ApiError('Unavailable', { what: server, reason: message });
      return new ApiError('Rejected', { what, reason: message });
    }
  }
}

/** Responses that are not a Status come from a proxy, or from the server before it knows the kind of the object. */
const reasonsByCode: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
]);

/** Undefined if the server has not named a time. The header counts; the body repeats it. */
export function retryAfterMs(header: string | undefined, body: unknown): number | undefined {
  const seconds = header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
  const named = seconds ?? (isStatus(body) ? body.details?.retryAfterSeconds : undefined) ?? undefined;
  return named === undefined ? undefined : Math.max(0, named) * 1_000;
}

function notServed(subject: Subject | undefined, message: string): string {
  if (subject === undefined) return message;
  return `the server has no ${subject.plural}; is the CustomResourceDefinition of ${subject.kind} installed?`;
}

const modifiedReason = 'the object has been modified; read it again and repeat the change';
const otherReason = 'it has another uid: this is another object of the same name';

function conflict(kind: string, name: string, message: string, causes: readonly Cause[]): ApiError {
  const owned = causes.flatMap(({ reason, message: words, field }): ConflictCause[] => {
    if (reason !== 'FieldManagerConflict' || !words || !field) return [];
    const [, quoted = '""'] = /^conflict with ("(?:[^"\\]|\\.)*")/.exec(words) ?? [];
    return [{ field, manager: unquoted(quoted), message: words }];
  });
  if (owned.length > 0) return new ApiError('Conflict', { kind, name, reason: message, causes: owned });
  const words = message.replace(/^Operation cannot be fulfilled on \S+ "[^"]*": /, '');
  const reason = /the object has been modified/.test(words)
    ? modifiedReason
    : /\bUID in\b/.test(words)
      ? otherReason
      : words;
  return new ApiError('Conflict', { kind, name, reason });
}

/** A Go string in quotes, whose escapes are mostly those of JSON. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

const fieldTypes: ReadonlyMap<string, FieldError['type']> = new Map([
  ['FieldValueRequired', 'Required value'],
  ['FieldValueInvalid', 'Invalid value'],
  ['FieldValueTypeInvalid', 'Invalid value'],
  ['FieldValueNotFound', 'Invalid value'],
  ['FieldValueNotSupported', 'Unsupported value'],
  ['FieldValueDuplicate', 'Duplicate value'],
  ['FieldValueForbidden', 'Forbidden'],
  ['FieldValueTooLong', 'Too long'],
  ['FieldValueTooMany', 'Too many'],
]);

function invalid(kind: string, name: string, message: string, causes: readonly Cause[]): ApiError {
  const errors = causes.flatMap((cause): FieldError[] => {
    // Follows from the other errors.
    if (cause.message?.includes('some validation rules were not checked')) return [];
    const strict = strictErrors(cause.message ?? '');
    if (strict.length > 0) return strict;
    const type = fieldTypes.get(cause.reason ?? '') ?? 'Invalid value';
    const words = bounded(cause.message ?? '').replace(
      /^(?:[A-Z][a-z]+ (?:value|many|long)|Forbidden|Not found): /,
      '',
    );
    return [{ path: cause.field === '<nil>' ? '' : (cause.field ?? ''), type, message: words }];
  });
  const strict = strictErrors(message);
  const whole: FieldError = { path: '', type: 'Invalid value', message };
  return new ApiError('Invalid', {
    kind,
    name,
    errors: errors.length > 0 ? errors : strict.length > 0 ? strict : [whole],
  });
}

/** Unknown and duplicate fields, which the server reports within a text. */
function strictErrors(message: string): FieldError[] {
  const [, listed] = /strict decoding error: (.*)$/s.exec(message) ?? [];
  if (listed === undefined) return [];
  return [...listed.matchAll(/(unknown|duplicate) field "([^"]*)"/g)].map(([, problem, path = '']) =>
    problem === 'unknown'
      ? { path, type: 'Unknown field', message: 'the server does not know it' }
      : { path, type: 'Duplicate value', message: 'the field occurs twice' },
  );
}

/** A value of the wrong type in an apply, which the server reports as an internal error: `.spec.x: expected list, …`. */
function typeError(text: string): FieldError {
  const [, path = '', message = text] = /^\.([^:\s]+): (.*)$/s.exec(text) ?? [];
  return { path, type: 'Invalid value', message };
}

function tooLarge(message: string, { what, requestBytes }: ErrorContext): ApiError {
  const limitBytes = Number(/limit is (\d+)/.exec(message)?.[1] ?? etcdRequestBytesMax);
  return new ApiError('TooLarge', { what: `the body of ${what}`, sizeBytes: requestBytes, limitBytes });
}

/** etcd's default, for messages without a number. */
const etcdRequestBytesMax = 1_572_864;

function bounded(message: string): string {
  const shown = redactText(message);
  return shown.length > messageCharactersMax ? `${shown.slice(0, messageCharactersMax)}…` : shown;
}
