/** Certificates without cryptography: what X.509 would say, as JSON between the lines of a PEM block. */
import { type Clock, isPlainObject } from '@ecsm/runtime';
import { type CertificateInfo, type CertificateIssuer, certificatesIn } from '../../src/resource/certificates.ts';

/** As long as authorities of the operator live. */
const authorityMs = 10 * 365 * 86_400_000;

interface Content extends CertificateInfo {
  readonly id: string;
  /** Id of the authority; its own if it is one. */
  readonly issuer: string;
}

export function fakeIssuer(clock: Clock): CertificateIssuer {
  let count = 0;
  const nextId = (of: string) => `${of}-${clock.now()}-${clock.monotonicMs()}-${++count}`;
  return {
    createAuthority() {
      const id = nextId('authority');
      const fromMs = clock.now();
      return pair({ id, issuer: id, fromMs, toMs: fromMs + authorityMs, names: [] });
    },
    issue(authority, { commonName, names, validMs }) {
      const fromMs = clock.now();
      const issuer = read(authority.certificate)?.id ?? '';
      return pair({ id: nextId(commonName), issuer, fromMs, toMs: fromMs + validMs, names: [...names].sort() });
    },
    inspect: read,
    isPair: ({ certificate, key }) => key === keyOf(read(certificate)?.id ?? ''),
    isIssuedBy,
  };
}

export function isIssuedBy(certificate: string, authority: string): boolean {
  const issuer = read(certificate)?.issuer;
  return issuer !== undefined && certificatesIn(authority).some((one) => read(one)?.id === issuer);
}

function pair(content: Content) {
  const body = Buffer.from(JSON.stringify(content)).toString('base64');
  const certificate = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
  return { certificate, key: keyOf(content.id) };
}

function keyOf(id: string): string {
  return `key of ${id}`;
}

export function read(certificate: string): Content | undefined {
  const body = certificate.split('\n')[1];
  if (body === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64').toString());
    return isContent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isContent(value: unknown): value is Content {
  return isPlainObject(value) && typeof value['id'] === 'string' && typeof value['issuer'] === 'string';
}
