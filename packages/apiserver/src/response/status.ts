/**
 * Errors as `Status` objects of Kubernetes, with its reasons, messages and causes: clients decide by reason, and show
 * the message. A defect of the server is answered without its details, which belong in the log.
 */
import {
  type ApiError,
  type ConflictCause,
  type FieldError,
  formatFieldError,
  isApiError,
  type KindSet,
} from '@ecsm/runtime';
import { HttpError, qualifiedResource, type ResourceName, type StatusCause, type StatusDetails } from './http-error.ts';

interface Status {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

interface ErrorContext extends ResourceName {
  readonly name?: string | undefined;
  /** To find the resource of an error about another kind, such as the missing namespace of an object. */
  readonly kinds?: KindSet;
}

interface StatusResponse {
  readonly code: number;
  readonly body: Status;
}

/** The answer to a request that failed with an error. Never throws. */
export function statusOf(error: unknown, context?: ErrorContext): StatusResponse {
  if (error instanceof HttpError) return failure(error.code, error.reason, error.message, error.details);
  if (isApiError(error)) return ofApiError(error, context);
  return internal();
}

/** The answer to a successful deletion for which no object is returned. */
export function successStatus(details?: StatusDetails): Status {
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Success',
    ...(details && { details }),
    code: 200,
  };
}

function ofApiError(error: ApiError, context: ErrorContext | undefined): StatusResponse {
  if (isApiError(error, 'NotFound')) {
    const { details, subject } = subjectOf(error.details, context);
    return failure(404, 'NotFound', `${subject} not found`, details);
  }
  if (isApiError(error, 'AlreadyExists')) {
    const { details, subject } = subjectOf(error.details, context);
    return failure(409, 'AlreadyExists', `${subject} already exists`, details);
  }
  if (isApiError(error, 'Conflict')) {
    if (error.details.causes !== undefined) return applyConflict(error.details.reason, error.details.causes);
    const { details, subject } = subjectOf(error.details, context);
    const message = `Operation cannot be fulfilled on ${subject}: ${conflictReason(error.details.reason)}`;
    return failure(409, 'Conflict', message, details);
  }
  if (isApiError(error, 'Invalid')) return invalid(error.details, context);
  if (isApiError(error, 'Unauthorized')) return failure(401, 'Unauthorized', error.message);
  if (isApiError(error, 'Forbidden')) return forbidden(error.details.reason, context);
  if (isApiError(error, 'BadRequest') || isApiError(error, 'Malformed')) {
    return failure(400, 'BadRequest', error.message);
  }
  if (isApiError(error, 'Expired')) return failure(410, 'Expired', error.message);
  if (isApiError(error, 'TooLarge')) {
    return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${error.message}`);
  }
  return ofStorage(error, context);
}

/** Failures behind the server. Their messages can name files and hosts, which are not for clients. */
function ofStorage(error: ApiError, context: ErrorContext | undefined): StatusResponse {
  switch (error.code) {
    case 'Unavailable':
    case 'Closed':
      return failure(503, 'ServiceUnavailable', 'the registry is unavailable, try again later', {
        retryAfterSeconds: 1,
      });
    case 'Timeout':
      return failure(504, 'Timeout', 'Timeout: the registry did not respond in time', { retryAfterSeconds: 1 });
    case 'Fenced':
      return forbidden('this server is no longer the leader', context);
    case 'ReadOnly':
      return forbidden('the registry is read-only', context);
    case 'StorageFull':
      return failure(error.status, 'InternalError', 'no space left to store the object');
    case 'Rejected':
    case 'BadAnswer':
      return failure(error.status, 'InternalError', 'another system failed to process the request');
    default:
      return internal();
  }
}

function internal(): StatusResponse {
  return failure(500, 'InternalError', 'Internal error occurred: see the log of the server');
}

function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusResponse {
  return {
    code,
    body: {
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    },
  };
}

interface Subject {
  readonly details: StatusDetails;
  /** `ecsmservices.ecsm.sh "x"` */
  readonly subject: string;
}

function subjectOf({ kind, name }: { readonly kind: string; readonly name: string }, context?: ErrorContext): Subject {
  const resource = resourceOf(kind, context);
  const subject = `${qualifiedResource(resource)} ${JSON.stringify(name)}`;
  return { details: detailsOf(resource.group, resource.resource, name), subject };
}

function resourceOf(kind: string, context: ErrorContext | undefined): ResourceName {
  const found = context?.kinds?.allNamed(kind) ?? [];
  const isRequested = found.length === 0 || found.some(({ plural }) => plural === context?.resource);
  const [first] = found;
  if (isRequested || first === undefined) return context ?? { group: '', resource: kind };
  return { group: first.group, resource: first.plural };
}

/** Empty fields are left out, as Kubernetes does. */
function detailsOf(group: string, kind: string, name: string, causes: readonly StatusCause[] = []): StatusDetails {
  return {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    ...(kind !== '' && { kind }),
    ...(causes.length > 0 && { causes }),
  };
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** kubectl and client-go show or compare the wording of Kubernetes. */
function conflictReason(reason: string): string {
  return reason.startsWith('the object has been modified') ? modified : reason;
}

/** Server-side apply: kubectl lists the causes, and asks whether the fields are to be taken over. */
function applyConflict(message: string, conflicts: readonly ConflictCause[]): StatusResponse {
  const causes = conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict', message, field }));
  return failure(409, 'Conflict', message, { causes });
}

function forbidden(reason: string, context: ErrorContext | undefined): StatusResponse {
  if (context === undefined) return failure(403, 'Forbidden', `forbidden: ${reason}`, {});
  const { group, resource, name = '' } = context;
  const subject = name === '' ? qualifiedResource(context) : `${qualifiedResource(context)} ${JSON.stringify(name)}`;
  return failure(403, 'Forbidden', `${subject} is forbidden: ${reason}`, detailsOf(group, resource, name));
}

const causeReasons: { readonly [type in FieldError['type']]: string } = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Unsupported value': 'FieldValueNotSupported',
  'Unknown field': 'FieldValueInvalid',
  'Duplicate value': 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
};

/**
 * Unlike the other reasons, Invalid names the kind instead of the resource. A kind of another group than that of the
 * request is given with its group, such as `ListOptions.meta.k8s.io`.
 */
function invalid(
  { kind, name, errors }: { readonly kind: string; readonly name: string; readonly errors: readonly FieldError[] },
  context: ErrorContext | undefined,
): StatusResponse {
  const dot = kind.indexOf('.');
  const [ownKind, group] = dot === -1 ? [kind, groupOf(kind, context)] : [kind.slice(0, dot), kind.slice(dot + 1)];
  const qualified = group === '' ? ownKind : `${ownKind}.${group}`;
  const messages = [...new Set(errors.map(formatFieldError))];
  const list = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const causes = errors.map(({ path, type, message }) => ({
    reason: causeReasons[type],
    message: `${type}: ${message}`,
    field: path === '' ? '<nil>' : path,
  }));
  const message = `${qualified} ${JSON.stringify(name)} is invalid${errors.length === 0 ? '' : `: ${list}`}`;
  return failure(422, 'Invalid', message, detailsOf(group, ownKind, name, causes));
}

function groupOf(kind: string, context: ErrorContext | undefined): string {
  return kind === '' ? '' : resourceOf(kind, context).group;
}
