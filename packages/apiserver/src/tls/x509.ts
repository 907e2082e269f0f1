/**
 * Issues X.509 certificates: a self-signed authority, server certificates and client certificates, all with EC P-256
 * keys and SHA-256. It writes the few extensions that OpenSSL, Go and Node.js check.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { timestampAt } from '@ecsm/runtime';
import * as der from './der.ts';
import { addressBytes } from './names.ts';

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** The key of an authority and how its certificate identifies it. */
interface Issuer {
  readonly privateKey: KeyObject;
  /** The subject of the authority's certificate, in DER. */
  readonly name: Buffer;
  readonly keyId: Buffer;
}

export interface CertificateTemplate {
  readonly subject: Subject;
  readonly publicKey: KeyObject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** `peer` is a server that also connects to servers of its kind, with the same certificate. */
  readonly use: 'authority' | 'server' | 'client' | 'peer';
  /** DNS names and IP addresses of a server or peer. */
  readonly names?: readonly string[];
}

const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** 127 random bits, and never negative: more than the 64 that certificate authorities have to use. */
const serialBytes = 16;

export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** The certificate, in PEM. */
export function issueCertificate(template: CertificateTemplate, issuer: Issuer): string {
  const { subject, publicKey, notBeforeMs, notAfterMs } = template;
  const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256));
  const serial = randomBytes(serialBytes);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(serial),
    algorithm,
    issuer.name,
    der.sequence(der.time(timestampAt(notBeforeMs)), der.time(timestampAt(notAfterMs))),
    encodeName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...extensions(template, issuer))),
  );
  const certificate = der.sequence(body, algorithm, der.bitString(sign('sha256', body, issuer.privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The issuer of a self-signed certificate. */
export function selfIssuer(subject: Subject, privateKey: KeyObject): Issuer {
  return { privateKey, name: encodeName(subject), keyId: keyIdOf(createPublicKey(privateKey)) };
}

/** SHA-1 of the public key, as RFC 5280 suggests. It identifies the key and protects nothing. */
export function keyIdOf(publicKey: KeyObject): Buffer {
  const [outer] = der.decodeAll(publicKey.export({ type: 'spki', format: 'der' }));
  const bits = outer && der.decodeAll(outer.contents)[1];
  if (bits?.tag !== der.tags.bitString) throw der.malformed();
  return createHash('sha1').update(bits.contents.subarray(1)).digest();
}

function encodeName({ commonName, organizations = [] }: Subject): Buffer {
  const part = (type: string, value: string) =>
    der.set(der.sequence(der.objectIdentifier(type), der.utf8String(value)));
  return der.sequence(
    ...organizations.map((organization) => part(oid.organization, organization)),
    part(oid.commonName, commonName),
  );
}

function extensions({ use, publicKey, names = [] }: CertificateTemplate, issuer: Issuer): Buffer[] {
  const isAuthority = use === 'authority';
  const list = [
    extension(oid.basicConstraints, der.sequence(...(isAuthority ? [der.boolean(true)] : [])), true),
    // Bits from the left: digitalSignature is 0, keyCertSign 5, cRLSign 6.
    extension(
      oid.keyUsage,
      isAuthority ? der.bitString(Buffer.from([0x86]), 1) : der.bitString(Buffer.from([0x80]), 7),
      true,
    ),
    extension(oid.subjectKeyIdentifier, der.octetString(keyIdOf(publicKey))),
    extension(oid.authorityKeyIdentifier, der.sequence(der.implicit(0, issuer.keyId))),
  ];
  if (!isAuthority) {
    const purposes = [...(use === 'client' ? [] : [oid.serverAuth]), ...(use === 'server' ? [] : [oid.clientAuth])];
    list.push(extension(oid.extendedKeyUsage, der.sequence(...purposes.map(der.objectIdentifier))));
  }
  if (names.length > 0) {
    list.push(extension(oid.subjectAlternativeName, der.sequence(...names.map(encodeAlternativeName))));
  }
  return list;
}

function extension(type: string, value: Buffer, isCritical = false): Buffer {
  return der.sequence(der.objectIdentifier(type), ...(isCritical ? [der.boolean(true)] : []), der.octetString(value));
}

function encodeAlternativeName(name: string): Buffer {
  const address = addressBytes(name);
  return address ? der.implicit(7, address) : der.implicit(2, Buffer.from(name, 'ascii'));
}
