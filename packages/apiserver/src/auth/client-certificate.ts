/**
 * Authenticates client certificates of our authority: the common name is the user, the organizations are the groups. A
 * TLS server that also takes tokens accepts every certificate, so signature, purpose and time are verified here.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { BoundedMap, type Clock } from '@ecsm/runtime';
import { subjectOf, validityOf } from '../tls/read.ts';
import { unauthorized } from './bearer.ts';
import {
  type Authenticator,
  type Credentials,
  credentialId,
  groups,
  type PeerCertificate,
  type User,
} from './contract.ts';

const certificateLimits = {
  /** Verified certificates; the signature is checked once for each. */
  cachedMax: 1_024,
  sizeBytesMax: 65_536,
} as const;

const clientAuth = '1.3.6.1.5.5.7.3.2';

interface Verified {
  readonly user: User;
  readonly fromMs: number;
  readonly toMs: number;
}

export class CertificateAuthenticator implements Authenticator {
  readonly #authority: X509Certificate;
  readonly #clock: Clock;
  readonly #verified = new BoundedMap<string, Verified>(certificateLimits.cachedMax);
  /** Those of open connections. */
  readonly #ofPeers = new WeakMap<PeerCertificate, Verified>();

  /** `authorityPem` is the certificate that has to have signed those of clients. */
  constructor(authorityPem: string, clock: Clock) {
    this.#authority = new X509Certificate(authorityPem);
    this.#clock = clock;
  }

  /** Undefined also for a certificate that has expired since. */
  known({ peerCertificate }: Pick<Credentials, 'peerCertificate'>): User | undefined {
    const verified = peerCertificate && this.#ofPeers.get(peerCertificate);
    return verified && this.#isValidNow(verified) ? verified.user : undefined;
  }

  async authenticate({ peerCertificate }: Pick<Credentials, 'peerCertificate'>): Promise<User | undefined> {
    if (peerCertificate === undefined) return undefined;
    const verified = this.#ofPeers.get(peerCertificate) ?? this.#identify(peerCertificate.raw);
    if (!this.#isValidNow(verified)) throw unauthorized('the client certificate has expired or is not valid yet');
    this.#ofPeers.set(peerCertificate, verified);
    return verified.user;
  }

  #isValidNow({ fromMs, toMs }: Verified): boolean {
    const nowMs = this.#clock.now();
    return nowMs >= fromMs && nowMs < toMs;
  }

  #identify(raw: Buffer): Verified {
    if (raw.length > certificateLimits.sizeBytesMax) throw unauthorized('the client certificate is too large');
    const key = createHash('sha256').update(raw).digest('base64');
    const known = this.#verified.get(key);
    if (known) return known;
    const verified = this.#verify(raw);
    this.#verified.set(key, verified);
    return verified;
  }

  #verify(raw: Buffer): Verified {
    const certificate = parse(raw);
    if (!certificate.checkIssued(this.#authority) || !certificate.verify(this.#authority.publicKey)) {
      throw unauthorized('the client certificate is not issued by the authority of this server');
    }
    if (!certificate.keyUsage?.includes(clientAuth)) {
      throw unauthorized('the certificate is not one of a client');
    }
    const { commonName, organizations = [] } = subjectOf(certificate.raw);
    if (commonName === '') throw unauthorized('the client certificate has no common name');
    const user = {
      name: commonName,
      groups: [...organizations, groups.authenticated],
      extra: { [credentialId]: [`X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`] },
    };
    return { user, ...validityOf(certificate) };
  }
}

function parse(raw: Buffer): X509Certificate {
  try {
    return new X509Certificate(raw);
  } catch {
    throw unauthorized('the client certificate cannot be read');
  }
}
