/** Connection errors as `ApiError`, with a description and the system's error code. */
import { ApiError } from '@ecsm/runtime';

const descriptions: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was closed before a response'],
  ['ECONNABORTED', 'the connection was closed before a response'],
  ['EPIPE', 'the connection was closed before the request was sent'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name cannot be resolved now'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the network'],
  ['EADDRNOTAVAIL', 'no free local port, or the local address does not exist'],
  ['EMFILE', 'this process has too many open files'],
  ['EPROTO', 'the TLS handshake failed; the server may not use TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not use TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed and not trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate authority is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate authority is unknown'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
]);

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
  const code = codeOf(error);
  // The HTTP parser of Node.js rejected the response.
  if (code.startsWith('HPE_')) return badResponse(connection, `it is not HTTP (${code})`, error);
  const description = descriptions.get(code) ?? 'the connection failed';
  const kept = connection.isReused ? ' on a reused connection' : '';
  const reason = `${description}${kept}${code === '' ? '' : ` (${code})`}`;
  return new ApiError('Unavailable', { what: connection.name, reason }, error);
}

/** The error for a truncated response, or one that is not HTTP. */
export function badResponse({ what }: ConnectionInfo, reason: string, cause?: Error): ApiError {
  return new ApiError('BadAnswer', { what, reason }, cause);
}

/** A failed connection to several addresses of one host is an AggregateError; its first error is representative. */
function codeOf(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return 'code' in first && typeof first.code === 'string' ? first.code : '';
}
