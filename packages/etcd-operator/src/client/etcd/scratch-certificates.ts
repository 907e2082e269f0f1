/**
 * Certificates of a member that only its own pod reaches. The client is `root`, a user that exists wherever authentication is
 * enabled, so that data with users can be examined without a password.
 */
import { Authority, generateAuthority } from '@ecsm/apiserver';
import type { Clock } from '@ecsm/runtime';
import type { EtcdCredentials } from './contract.ts';

const validMs = 86_400_000;

/** One pair for the server and for the client. */
export function scratchCertificates(clock: Clock): EtcdCredentials {
  const authority = new Authority(generateAuthority(clock), clock);
  const names = ['localhost', '127.0.0.1'];
  const { certificatePem, keyPem } = authority.issue({ subject: { commonName: 'root' }, use: 'peer', names }, validMs);
  return { ca: authority.certificatePem, cert: certificatePem, key: keyPem };
}
