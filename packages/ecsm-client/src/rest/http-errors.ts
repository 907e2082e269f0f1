/** What can go wrong on a connection, in plain sentences. The system's code stays beside them, for who looks it up. */
import { ApiError } from '@ecsm/runtime';

const sentences: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was closed before an answer'],
  ['ECONNABORTED', 'the connection was closed before an answer'],
  ['EPIPE', 'the connection was closed before the request was sent'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name cannot be looked up now'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the network'],
  ['EADDRNOTAVAIL', 'there is no free local port, or no such local address'],
  ['EMFILE', 'this process has too many open files'],
  ['EPROTO', 'the other side does not speak TLS as we do'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the other side does not speak TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is signed by itself and not trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is signed by an authority that is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is signed by an authority that is not known'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its certificate is signed by an authority that is not known'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
]);

/** Whose connection it was. */
export interface Link {
  /** `http://host:3001`. */
  readonly name: string;
  /** `GET /api/v1/service`, without the query. */
  readonly what: string;
  /** Whether the connection had served an earlier request. */
  readonly isReused: boolean;
}

/** No connection, or one that broke before the head of an answer. */
export function connectionError(error: Error, link: Link): ApiError {
  const code = codeOf(error);
  // Node.js's HTTP parser found something else than an answer.
  if (code.startsWith('HPE_')) return brokenAnswer(link, `it is not HTTP (${code})`, error);
  const sentence = sentences.get(code) ?? 'the connection failed';
  const kept = link.isReused ? ', and had been kept from an earlier call' : '';
  const reason = `${sentence}${kept}${code === '' ? '' : ` (${code})`}`;
  return new ApiError('Unavailable', { what: link.name, reason }, error);
}

/** A connection that broke in the middle of an answer, or bytes that are none. */
export function brokenAnswer({ what }: Link, reason: string, cause?: Error): ApiError {
  return new ApiError('BadAnswer', { what, reason }, cause);
}

/** A failed connection to several addresses of one host is an AggregateError; its first error says as much as all. */
function codeOf(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return 'code' in first && typeof first.code === 'string' ? first.code : '';
}
