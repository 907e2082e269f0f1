/** Connection errors as `ApiError`, with a description and the system's error code. */
import { ApiError, connectionErrorCode, describeConnectionError } from '@ecsm/runtime';

/** The connection of a failed request. */
export interface ConnectionInfo {
  /** `http://host:3001`. */
  readonly name: string;
  /** `GET /api/v1/service`, without the query. */
  readonly what: string;
  /** Whether the connection had served an earlier request. */
  readonly isReused: boolean;
}

/** The error for a connection that failed before the response headers. */
export function connectionError(error: Error, connection: ConnectionInfo): ApiError {
  const code = connectionErrorCode(error);
  // The HTTP parser of Node.js rejected the response.
  if (code.startsWith('HPE_')) return badResponse(connection, `it is not HTTP (${code})`, error);
  const kept = connection.isReused ? ' on a reused connection' : '';
  const reason = `${describeConnectionError(code)}${kept}${code === '' ? '' : ` (${code})`}`;
  return new ApiError('Unavailable', { what: connection.name, reason }, error);
}

/** The error for a truncated response, or one that is not HTTP. */
export function badResponse({ what }: ConnectionInfo, reason: string, cause?: Error): ApiError {
  return new ApiError('BadAnswer', { what, reason }, cause);
}
