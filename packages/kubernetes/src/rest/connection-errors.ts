/** Connection errors as `Unavailable`, with a description and the system's error code. */
import { ApiError } from '@ecsm/runtime';

const descriptions: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was closed before the response was complete'],
  ['EPIPE', 'the connection was closed before the request was sent'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name cannot be resolved now'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the network'],
  ['EMFILE', 'this process has too many open files'],
  ['EPROTO', 'the TLS handshake failed; the server may not use TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not use TLS'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'the server requires a client certificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'the server does not trust the client certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed and not in the certificate authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate authority is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not signed by the certificate authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'its certificate authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its certificate authority is unknown'],
  ['CERT_SIGNATURE_FAILURE', 'its certificate is not signed by the certificate authority'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet; check the clocks'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host; tls-server-name can name it'],
]);

/** After a lost connection, a write may or may not have happened: that is what `Unavailable` means. */
export function connectionError(error: Error, server: string): ApiError {
  const code = codeOf(error);
  const description = code.startsWith('HPE_')
    ? 'the response is not HTTP'
    : (descriptions.get(code) ?? 'the connection failed');
  const reason = `${description}${code === '' ? '' : ` (${code})`}`;
  return new ApiError('Unavailable', { what: server, reason }, error);
}

/** Whether the request cannot have reached the server, so that even a write can be repeated. */
export function isUnsent(error: Error): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(codeOf(error));
}

/** A failed connection to several addresses of one host is an AggregateError; its first error is representative. */
function codeOf(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return 'code' in first && typeof first.code === 'string' ? first.code : '';
}
