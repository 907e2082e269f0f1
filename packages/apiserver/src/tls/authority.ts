/** The certificate authority of a server: it is created once, and issues server and client certificates. */
import { createPublicKey } from 'node:crypto';
import { ApiError, type Clock, timestampAt } from '@ecsm/runtime';
import { createPrivateFile } from './files.ts';
import { damaged, formatKeyPair, type KeyPair, keyPairOf, readKeyPair } from './key-pair.ts';
import { keyIdIn, subjectDer, validityOf } from './read.ts';
import { type CertificateTemplate, generateKey, issueCertificate, selfIssuer } from './x509.ts';

const dayMs = 86_400_000;
const authorityMs = 3_650 * dayMs;
/** Certificates are valid a little earlier, for clients whose clocks are behind. */
const backdatedMs = 3_600_000;
/** 2024-01-01. A machine without a battery for its clock starts in 1970, and a certificate of 1970 is soon expired. */
const clockMsMin = 1_704_067_200_000;

export class Authority {
  readonly #pair: KeyPair;
  readonly #clock: Clock;

  constructor(pair: KeyPair, clock: Clock) {
    this.#pair = pair;
    this.#clock = clock;
  }

  /** In PEM. */
  get certificatePem(): string {
    return this.#pair.certificatePem;
  }

  get expiresMs(): number {
    return validityOf(this.#pair.certificate).toMs;
  }

  /** A new key with a certificate. It does not outlive the authority. */
  issue(template: Pick<CertificateTemplate, 'subject' | 'use' | 'names'>, validMs: number): KeyPair {
    const { certificate, privateKey } = this.#pair;
    const key = generateKey();
    const nowMs = checkedTime(this.#clock);
    const pem = issueCertificate(
      {
        ...template,
        publicKey: createPublicKey(key),
        notBeforeMs: nowMs - backdatedMs,
        notAfterMs: Math.min(nowMs + validMs, this.expiresMs),
      },
      { privateKey, name: subjectDer(certificate.raw), keyId: keyIdIn(certificate) },
    );
    return keyPairOf(key, pem);
  }

  hasIssued({ certificate }: KeyPair): boolean {
    const own = this.#pair.certificate;
    return certificate.checkIssued(own) && certificate.verify(own.publicKey);
  }
}

/**
 * Reads the authority of a directory, or creates it. If several processes do so at the same time, all of them get the
 * same one. Throws `Corrupt` for a file that is not one, or has expired.
 */
export function openAuthority(path: string, clock: Clock): Authority {
  const pair = readKeyPair(path) ?? createAuthority(path, clock);
  const { certificate } = pair;
  if (!certificate.ca) throw damaged(path, 'its certificate is not one of a certificate authority');
  const { toMs } = validityOf(certificate);
  if (toMs <= clock.now()) {
    throw damaged(path, `its certificate has expired at ${timestampAt(toMs)}, and so have all that it issued`);
  }
  return new Authority(pair, clock);
}

/** The key and the self-signed certificate of a new authority, valid for ten years. Nothing is stored. */
export function generateAuthority(clock: Clock): KeyPair {
  const nowMs = checkedTime(clock);
  const key = generateKey();
  // The key id makes the name unique, so that clients with the authorities of two servers do not mix them up.
  const unnamed = selfIssuer({ commonName: '' }, key);
  const subject = { commonName: `ecsm-ca-${unnamed.keyId.toString('hex').slice(0, 8)}` };
  const pem = issueCertificate(
    {
      subject,
      publicKey: createPublicKey(key),
      notBeforeMs: nowMs - backdatedMs,
      notAfterMs: nowMs + authorityMs,
      use: 'authority',
    },
    selfIssuer(subject, key),
  );
  return keyPairOf(key, pem);
}

function createAuthority(path: string, clock: Clock): KeyPair {
  const pair = generateAuthority(clock);
  if (createPrivateFile(path, formatKeyPair(pair))) return pair;
  const other = readKeyPair(path);
  if (other) return other;
  throw new ApiError('Unavailable', { what: path, reason: 'another process has deleted it while it was created' });
}

function checkedTime(clock: Clock): number {
  const nowMs = clock.now();
  if (nowMs >= clockMsMin) return nowMs;
  throw new ApiError('Unavailable', {
    what: 'the certificate authority',
    reason: `the clock of this machine is at ${timestampAt(nowMs)}; set it first`,
  });
}
