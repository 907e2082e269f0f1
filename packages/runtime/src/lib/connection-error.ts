/** What the error of a network connection means, by the code of the operating system, Node.js or OpenSSL. */

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
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'the server requires a client certificate'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'the server does not trust the client certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed and not trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate authority is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the certificate authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate authority is unknown'],
  ['CERT_SIGNATURE_FAILURE', 'the certificate is not signed by the certificate authority'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet; check the clocks'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
]);

/** A description of the code. Returns `the connection failed` if it is unknown. */
export function describeConnectionError(code: string): string {
  return descriptions.get(code) ?? 'the connection failed';
}

/**
 * The code of an error, or an empty string. A failed connection to several addresses of one host is an AggregateError;
 * its first error is representative.
 */
export function connectionErrorCode(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return 'code' in first && typeof first.code === 'string' ? first.code : '';
}
