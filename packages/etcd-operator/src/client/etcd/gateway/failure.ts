/** Which error a failed call is: by the text of etcd's message, by its gRPC code, or by the error of the connection. */
import type { EtcdErrorCode } from '../contract.ts';
import { EtcdError } from '../error.ts';

/** etcd's messages, which are more specific than its codes: the first match wins. */
const codesByMessage: readonly (readonly [RegExp, EtcdErrorCode])[] = [
  [/not enough started members/, 'NotEnoughStarted'],
  [/unhealthy cluster/, 'Unhealthy'],
  [/too many learner members/, 'TooManyLearners'],
  [/in sync with leader/, 'LearnerNotReady'],
  [/can only promote a learner member/, 'NotLearner'],
  [/Peer URLs already exists/, 'PeerUrlExists'],
  [/member not found/, 'MemberNotFound'],
  // A member that was removed has the same effect for a caller: it is not in the list.
  [/the member has been permanently removed/, 'MemberNotFound'],
  [/rpc not supported for learner/, 'NotSupportedForLearner'],
  [/no leader|leader changed|previous leader failure/, 'NoLeader'],
  [/not leader/, 'NotLeader'],
  [/database space exceeded|alarm:\s*NOSPACE/i, 'NoSpace'],
  [/corrupt cluster|alarm:\s*CORRUPT/i, 'Corrupt'],
  [/permission denied|authentication failed|invalid auth token|user name is empty|user not found/, 'Denied'],
  [/timed out|deadline exceeded/, 'Timeout'],
];

/** For messages that are not in the table above. */
const codesByNumber: ReadonlyMap<number, EtcdErrorCode> = new Map([
  [1, 'Unavailable'],
  [2, 'Unavailable'],
  [4, 'Timeout'],
  [7, 'Denied'],
  [13, 'Unavailable'],
  [14, 'Unavailable'],
  [15, 'Corrupt'],
  [16, 'Denied'],
]);

/** A failure that etcd reported. A code that does not exclude a change is `Unavailable`. */
export function reportedFailure(message: string, number: number): EtcdError {
  const code = codesByMessage.find(([words]) => words.test(message))?.[1] ?? codesByNumber.get(number) ?? 'Other';
  return new EtcdError(code, message);
}

/**
 * A failure of the connection. A certificate is checked before the request is processed, so a refused one excludes a
 * change; anything else does not.
 */
export function connectionFailure(error: Error, what: string): EtcdError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = [code, error.message].filter((part) => part !== '').join(': ') || error.name;
  const isDenied = isDenial(code);
  const isTlsFailure = isDenied || isHandshake(code, error.message);
  return new EtcdError(isDenied ? 'Denied' : 'Unavailable', `${what}: ${text}`, { isTlsFailure });
}

/** Any other failure of TLS: there is a process, and it is not known what it would answer. */
function isHandshake(code: string, message: string): boolean {
  return /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) || message.includes('before secure TLS connection was established');
}

/** Either side did not accept the certificate of the other: an alert of the server, or a check of Node.js. */
function isDenial(code: string): boolean {
  return (
    /^ERR_SSL_.*ALERT_.*(CERT|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)/.test(code) ||
    /^(ERR_TLS_CERT_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(code)
  );
}
