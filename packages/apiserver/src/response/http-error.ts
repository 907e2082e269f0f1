/** Errors that only a server has: they have no code in the catalogue of the runtime, but a `Status` of Kubernetes. */

/** One reason of a failure, such as one invalid field. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural of the resource, or the kind if the reason is Invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The resource that a request addresses. */
export interface ResourceName {
  readonly group: string;
  /** The plural. */
  readonly resource: string;
}

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

/** `ecsmservices.ecsm.sh`; the plural alone for core resources. */
export function qualifiedResource({ group, resource }: ResourceName): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** For a request without valid credentials. */
export function unauthorized(): HttpError {
  return new HttpError(401, 'Unauthorized', 'Unauthorized');
}

/** For a path that the server does not serve. */
export function pathNotFound(): HttpError {
  return new HttpError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(resource: ResourceName, action: string): HttpError {
  const message = `${action} is not supported on resources of kind "${qualifiedResource(resource)}"`;
  return new HttpError(405, 'MethodNotAllowed', message, { group: resource.group, kind: resource.resource });
}

export function notAcceptable(accepted: readonly string[]): HttpError {
  return new HttpError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

export function unsupportedMediaType(accepted: readonly string[]): HttpError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new HttpError(415, 'UnsupportedMediaType', message);
}

export function tooLarge(message: string): HttpError {
  return new HttpError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): HttpError {
  return new HttpError(429, 'TooManyRequests', message, { retryAfterSeconds });
}

/** For a request that names a resource version that does not exist yet. */
export function resourceVersionTooLarge(requested: string, current: string): HttpError {
  const message = `Too large resource version: ${requested}, current: ${current}`;
  return new HttpError(504, 'Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** For a new object in a namespace that is being deleted. */
export function namespaceTerminating(resource: ResourceName, name: string, namespace: string): HttpError {
  const subject = `${qualifiedResource(resource)} ${JSON.stringify(name)}`;
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return new HttpError(403, 'Forbidden', `${subject} is forbidden: ${reason}`, {
    name,
    group: resource.group,
    kind: resource.resource,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
