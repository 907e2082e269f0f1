/** Keys and certificates in PEM: created and inspected with X.509, or with anything else in tests. */
import { X509Certificate } from 'node:crypto';
import { Authority, generateAuthority, parseKeyPair, validityOf } from '@ecsm/apiserver';
import type { Clock } from '@ecsm/runtime';

export interface PemPair {
  readonly certificate: string;
  readonly key: string;
}

export interface LeafTemplate {
  readonly commonName: string;
  /** `peer`: server and client. The gateway of etcd connects to its own server with the server's certificate. */
  readonly use: 'peer' | 'client';
  readonly names: readonly string[];
  readonly validMs: number;
}

export interface CertificateInfo {
  readonly fromMs: number;
  readonly toMs: number;
  /** DNS names and IP addresses, sorted. */
  readonly names: readonly string[];
}

/** Certificates, as a port: simulations run without cryptography. */
export interface CertificateIssuer {
  createAuthority(): PemPair;
  issue(authority: PemPair, template: LeafTemplate): PemPair;
  /** Undefined if it is not a certificate. */
  inspect(certificate: string): CertificateInfo | undefined;
  /** Whether the key belongs to the certificate. */
  isPair(pair: PemPair): boolean;
  /** Whether one of the authorities has issued it, directly or by the intermediates that follow it. */
  isIssuedBy(certificate: string, authority: string): boolean;
}

export function x509Issuer(clock: Clock): CertificateIssuer {
  return {
    createAuthority() {
      const { certificatePem, keyPem } = generateAuthority(clock);
      return { certificate: certificatePem, key: keyPem };
    },
    issue(authority, { commonName, use, names, validMs }) {
      const pair = parseKeyPair('the authority of the cluster', `${authority.key}${authority.certificate}`);
      const leaf = new Authority(pair, clock).issue({ subject: { commonName }, use, names }, validMs);
      return { certificate: leaf.certificatePem, key: leaf.keyPem };
    },
    inspect(certificate) {
      const read = readCertificate(certificate);
      if (read === undefined) return undefined;
      const { fromMs, toMs } = validityOf(read);
      return { fromMs, toMs, names: namesOf(read) };
    },
    isPair({ certificate, key }) {
      try {
        parseKeyPair('a pair', `${key}\n${certificate}`);
        return true;
      } catch {
        return false;
      }
    },
    isIssuedBy(certificate, authority) {
      const [first, ...intermediates] = certificatesIn(certificate).flatMap((pem) => readCertificate(pem) ?? []);
      const trusted = certificatesIn(authority).flatMap((pem) => readCertificate(pem) ?? []);
      let current = first;
      // Each intermediate is used once, so that certificates which issued each other do not go on for ever.
      while (current !== undefined) {
        if (issuerOf(current, trusted)) return true;
        current = issuerOf(current, intermediates);
        if (current) intermediates.splice(intermediates.indexOf(current), 1);
      }
      return false;
    },
  };
}

/** The certificates of a bundle, one by one. */
export function certificatesIn(bundle: string): readonly string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/gu) ?? [];
}

function issuerOf(certificate: X509Certificate, among: readonly X509Certificate[]): X509Certificate | undefined {
  return among.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function namesOf({ subjectAltName }: X509Certificate): readonly string[] {
  const names = subjectAltName?.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/u, '')) ?? [];
  return names.sort();
}
