/**
 * The error catalogue. Every error that this library throws has a stable code, a retry class and the HTTP status that
 * an API server responds with. How to react to an error is data in this table, not a chain of ifs at the caller.
 */

/**
 * - `retry`: the same call may succeed later; back off and repeat it.
 * - `refetch`: the caller's data is stale; read again, then decide again.
 * - `terminal`: retrying fails until the input changes.
 * - `bug`: a defect in the program.
 */
export type RetryClass = 'retry' | 'refetch' | 'terminal' | 'bug';

/** One error in one field, with the wording of Kubernetes. */
export interface FieldError {
  /** `spec.template.env[2].name`; the empty string is the whole object. */
  readonly path: string;
  readonly type:
    | 'Required value'
    | 'Invalid value'
    | 'Unsupported value'
    | 'Unknown field'
    | 'Duplicate value'
    | 'Forbidden'
    | 'Too long'
    | 'Too many';
  readonly message: string;
}

/** A field that an apply would change, and one of its owners. */
export interface ConflictCause {
  /** In the form of Kubernetes: `.spec.env[name="A"].value`. */
  readonly field: string;
  readonly manager: string;
  /** `conflict with "kubectl" using example.io/v1` */
  readonly message: string;
}

/** A position in a text; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ErrorDetails {
  NotFound: { readonly kind: string; readonly name: string };
  AlreadyExists: { readonly kind: string; readonly name: string };
  /** `causes`: the fields of an apply that other managers own. */
  Conflict: {
    readonly kind: string;
    readonly name: string;
    readonly reason: string;
    readonly causes?: readonly ConflictCause[];
  };
  Invalid: { readonly kind: string; readonly name: string; readonly errors: readonly FieldError[] };
  BadRequest: { readonly reason: string };
  Malformed: { readonly position: Position; readonly reason: string };
  Expired: { readonly reason: string };
  Unauthorized: { readonly reason: string };
  /** `remedy` is the option that allows the operation. */
  Forbidden: { readonly reason: string; readonly remedy?: 'startOver' };
  Fenced: { readonly fence: string; readonly epoch: number };
  TooLarge: { readonly what: string; readonly sizeBytes: number; readonly limitBytes: number };
  Unavailable: { readonly what: string; readonly reason: string };
  Timeout: { readonly what: string; readonly timeoutMs: number };
  Rejected: { readonly what: string; readonly reason: string };
  BadAnswer: { readonly what: string; readonly reason: string };
  StorageFull: { readonly what: string; readonly reason: string };
  ReadOnly: { readonly what: string; readonly reason: string };
  Corrupt: { readonly what: string; readonly reason: string };
  Closed: { readonly what: string };
  Internal: { readonly reason: string };
}

export type ErrorCode = keyof ErrorDetails;

interface CatalogueEntry<D> {
  readonly retry: RetryClass;
  readonly status: number;
  /** When the error is thrown; docs/errors.md shows it. */
  readonly when: string;
  readonly message: (details: D) => string;
}

export const catalogue: { readonly [C in ErrorCode]: CatalogueEntry<ErrorDetails[C]> } = {
  NotFound: {
    retry: 'terminal',
    status: 404,
    when: 'The named object does not exist.',
    message: ({ kind, name }) => `${kind} "${name}" not found`,
  },
  AlreadyExists: {
    retry: 'terminal',
    status: 409,
    when: 'An object of that name already exists.',
    message: ({ kind, name }) => `${kind} "${name}" already exists`,
  },
  Conflict: {
    retry: 'refetch',
    status: 409,
    when: 'The object changed since it was read, is not the one that was meant, or others own applied fields.',
    message: ({ kind, name, reason, causes }) => (causes === undefined ? `${kind} "${name}": ${reason}` : reason),
  },
  Invalid: {
    retry: 'terminal',
    status: 422,
    when: 'The object violates the rules of its kind; each field error names the field and the problem.',
    message: ({ kind, name, errors }) => `${kind} "${name}" is invalid: ${errors.map(formatFieldError).join('; ')}`,
  },
  BadRequest: {
    retry: 'terminal',
    status: 400,
    when: 'The call itself is invalid: an unknown kind, a selector that does not parse, an invalid option.',
    message: ({ reason }) => reason,
  },
  Malformed: {
    retry: 'terminal',
    status: 400,
    when: 'A text is not valid YAML or JSON; the message has the file, line and column.',
    message: ({ position: { file, line, column }, reason }) => `${file}:${line}:${column}: ${reason}`,
  },
  Expired: {
    retry: 'refetch',
    status: 410,
    when: 'The requested revision is no longer in the log: list again, then watch from there.',
    message: ({ reason }) => reason,
  },
  Unauthorized: {
    retry: 'terminal',
    status: 401,
    when: 'The credentials of a request are invalid, expired or revoked.',
    message: ({ reason }) => reason,
  },
  Forbidden: {
    retry: 'terminal',
    status: 403,
    when: 'The operation is not allowed.',
    message: ({ reason }) => reason,
  },
  Fenced: {
    retry: 'terminal',
    status: 403,
    when: 'The writer is no longer the leader: another one has taken over, and the write is refused.',
    message: ({ fence, epoch }) => `epoch ${epoch} of fence "${fence}" is over: another leader has taken over`,
  },
  TooLarge: {
    retry: 'terminal',
    status: 413,
    when: 'A document, an object or a commit is over a size limit.',
    message: ({ what, sizeBytes, limitBytes }) => `${what} is ${sizeBytes} bytes, over the limit of ${limitBytes}`,
  },
  Unavailable: {
    retry: 'retry',
    status: 503,
    when: 'The store or platform cannot be reached. A write that fails with it may or may not have been applied.',
    message: ({ what, reason }) => `${what} is unavailable: ${reason}`,
  },
  Timeout: {
    retry: 'retry',
    status: 504,
    when: 'No response arrived in time. A write that fails with it may or may not have been applied.',
    message: ({ what, timeoutMs }) => `${what} did not respond within ${timeoutMs} ms`,
  },
  Rejected: {
    retry: 'retry',
    status: 502,
    when: 'Another system refused a valid call, for a reason that has no code of its own in this catalogue.',
    message: ({ what, reason }) => `${what} was rejected: ${reason}`,
  },
  BadAnswer: {
    retry: 'retry',
    status: 502,
    when: 'The response of another system is invalid. A write that fails with it may have been applied.',
    message: ({ what, reason }) => `unexpected response from ${what}: ${reason}`,
  },
  StorageFull: {
    retry: 'retry',
    status: 507,
    when: 'The disk (or the quota) is full: nothing was written; free some space and retry.',
    message: ({ what, reason }) => `no space left for ${what}: ${reason}`,
  },
  ReadOnly: {
    retry: 'terminal',
    status: 403,
    when: 'The location of the store is not writable.',
    message: ({ what, reason }) => `${what} cannot be written: ${reason}`,
  },
  Corrupt: {
    retry: 'terminal',
    status: 500,
    when: 'Stored bytes are damaged; nothing was changed. Restore it from a backup.',
    message: ({ what, reason }) => `${what} is damaged: ${reason}`,
  },
  Closed: {
    retry: 'bug',
    status: 503,
    when: 'A store or registry was used after its close().',
    message: ({ what }) => `${what} is closed`,
  },
  Internal: {
    retry: 'bug',
    status: 500,
    when: 'An invariant was violated: a defect in the program.',
    message: ({ reason }) => `internal error: ${reason}`,
  },
};

export function formatFieldError({ path, type, message }: FieldError): string {
  return `${path === '' ? '' : `${path}: `}${type}: ${message}`;
}

/** Works with two copies of this package in one process, where `instanceof` does not. */
const brand = Symbol.for('@ecsm/runtime/ApiError');

export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ApiError';
  readonly [brand] = true;
  readonly code: C;
  readonly details: ErrorDetails[C];
  readonly retry: RetryClass;
  readonly status: number;

  constructor(code: C, details: ErrorDetails[C], cause?: unknown) {
    const entry: CatalogueEntry<ErrorDetails[C]> = catalogue[code];
    super(entry.message(details), cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    this.retry = entry.retry;
    this.status = entry.status;
  }
}

/** Whether an error is from the catalogue and, if a code is given, whether it is that one. */
export function isApiError<C extends ErrorCode = ErrorCode>(error: unknown, code?: C): error is ApiError<C> {
  return error instanceof Error && brand in error && (code === undefined || (error as ApiError).code === code);
}
