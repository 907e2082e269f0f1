/** Connection errors as `Unavailable`, with a description and the system's error code. */
import { ApiError, connectionErrorCode, describeConnectionError } from '@ecsm/runtime';

/** Where the general description is not precise enough. */
const descriptions: ReadonlyMap<string, string> = new Map([
  ['ECONNRESET', 'the connection was closed before the response was complete'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host; tls-server-name can name it'],
]);

/** After a lost connection, a write may or may not have happened: that is what `Unavailable` means. */
export function connectionError(error: Error, server: string): ApiError {
  const code = connectionErrorCode(error);
  const description = code.startsWith('HPE_')
    ? 'the response is not HTTP'
    : (descriptions.get(code) ?? describeConnectionError(code));
  const reason = `${description}${code === '' ? '' : ` (${code})`}`;
  return new ApiError('Unavailable', { what: server, reason }, error);
}

/** Whether the request cannot have reached the server, so that even a write can be repeated. */
export function isUnsent(error: Error): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(connectionErrorCode(error));
}
