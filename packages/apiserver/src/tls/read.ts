/**
 * Reads the parts of a certificate that `X509Certificate` does not return or returns only as text to display: subject and
 * key id in DER, and the names and organizations without any quoting.
 */
import type { X509Certificate } from 'node:crypto';
import * as der from './der.ts';
import { keyIdOf, type Subject } from './x509.ts';

/** Hex of the object identifiers' contents. */
const commonName = '550403';
const organization = '55040a';
const subjectKeyIdentifier = '551d0e';

/** The subject of a certificate, in DER. Throws `BadRequest` for what is not a certificate. */
export function subjectDer(certificate: Buffer): Buffer {
  const subject = fieldsOf(certificate)[4];
  if (subject?.tag !== der.tags.sequence) throw der.malformed();
  return subject.raw;
}

/** User name and groups of a certificate. The last common name counts, as in Go. */
export function subjectOf(certificate: Buffer): Subject {
  const organizations: string[] = [];
  let name = '';
  const [outer] = der.decodeAll(subjectDer(certificate));
  for (const attribute of der
    .decodeAll(outer?.contents ?? Buffer.alloc(0))
    .flatMap((one) => der.decodeAll(one.contents))) {
    const [type, value] = der.decodeAll(attribute.contents);
    const kind = type?.contents.toString('hex');
    if (value === undefined) throw der.malformed();
    if (kind === commonName) name = value.contents.toString('utf8');
    if (kind === organization) organizations.push(value.contents.toString('utf8'));
  }
  return { commonName: name, organizations };
}

/** The key id in the certificate, or the usual one of its key. */
export function keyIdIn(certificate: X509Certificate): Buffer {
  const wrapper = fieldsOf(certificate.raw).find(({ tag }) => tag === 0xa3);
  const [list] = wrapper ? der.decodeAll(wrapper.contents) : [];
  for (const extension of list ? der.decodeAll(list.contents) : []) {
    const parts = der.decodeAll(extension.contents);
    const value = parts.at(-1);
    if (parts[0]?.contents.toString('hex') !== subjectKeyIdentifier || value === undefined) continue;
    const [id] = der.decodeAll(value.contents);
    if (id?.tag === der.tags.octetString) return id.contents;
  }
  return keyIdOf(certificate.publicKey);
}

/** serial, algorithm, issuer, validity, subject, key, extensions. */
function fieldsOf(certificate: Buffer): der.DerValue[] {
  const [outer] = der.decodeAll(certificate);
  const [body] = outer ? der.decodeAll(outer.contents) : [];
  if (body?.tag !== der.tags.sequence) throw der.malformed();
  const fields = der.decodeAll(body.contents);
  return fields[0]?.tag === 0xa0 ? fields.slice(1) : fields;
}

export interface Validity {
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function validityOf(certificate: X509Certificate): Validity {
  const validity = fieldsOf(certificate.raw)[3];
  const [from, to] = validity ? der.decodeAll(validity.contents) : [];
  return { fromMs: timeOf(from), toMs: timeOf(to) };
}

/** `260102030405Z` (UTCTime, years 1950 to 2049) or `20560102030405Z` (GeneralizedTime). */
function timeOf(value: der.DerValue | undefined): number {
  const text = value?.contents.toString('latin1') ?? '';
  const parts = /^(\d{2})?(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (!parts) throw der.malformed();
  const [century = '', year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts.slice(1);
  const fullYear = Number(`${century || (year < '50' ? '20' : '19')}${year}`);
  const days = daysOf(fullYear, Number(month), Number(day));
  return (((days * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

/** Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that a leap day is the last day of one. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}
