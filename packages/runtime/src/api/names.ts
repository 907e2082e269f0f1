/** The syntax of names, keys, label values and timestamps. Rules and wording are those of Kubernetes. */
import { string } from './schema/build.ts';
import type { Format, StringSchema } from './schema/schema.ts';

export const LABEL_LENGTH_MAX = 63;
export const SUBDOMAIN_LENGTH_MAX = 253;

const alphanumericEnds = 'and must start and end with an alphanumeric character';

const dnsLabelExpression = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;
const dnsLabelHint = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds} (e.g. 'my-name', or '123-abc')`;

const dnsSubdomainExpression = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const dnsSubdomainHint = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds} (e.g. 'example.com')`;

const labelExpression = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/u;
const labelHint = `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds} (e.g. 'MyName', or 'my.name', or '123-abc')`;

/** Returns why the name of an object or namespace is invalid, or undefined if it is valid. */
export function checkDnsLabel(value: string): string | undefined {
  if (value.length > LABEL_LENGTH_MAX) return `must be no more than ${LABEL_LENGTH_MAX} characters`;
  return dnsLabelExpression.test(value) ? undefined : dnsLabelHint;
}

export function checkDnsSubdomain(value: string): string | undefined {
  if (value.length > SUBDOMAIN_LENGTH_MAX) return `must be no more than ${SUBDOMAIN_LENGTH_MAX} characters`;
  return dnsSubdomainExpression.test(value) ? undefined : dnsSubdomainHint;
}

/** `name` or `example.com/name`: label keys, annotation keys, finalizers, condition types. */
export function checkQualifiedName(value: string): string | undefined {
  const slash = value.indexOf('/');
  const name = value.slice(slash + 1);
  if (slash !== -1) {
    const reason = slash === 0 ? 'must be non-empty' : checkDnsSubdomain(value.slice(0, slash));
    if (reason !== undefined) return `prefix part ${reason}`;
  }
  if (name === '') return 'name part must be non-empty';
  if (name.length > LABEL_LENGTH_MAX) return `name part must be no more than ${LABEL_LENGTH_MAX} characters`;
  return labelExpression.test(name) ? undefined : `name part ${labelHint}`;
}

export function checkLabelValue(value: string): string | undefined {
  if (value.length > LABEL_LENGTH_MAX) return `must be no more than ${LABEL_LENGTH_MAX} characters`;
  return value === '' || labelExpression.test(value)
    ? undefined
    : `a valid label must be an empty string or ${labelHint.replace('must consist', 'consist')}`;
}

const timestampExpression =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/u;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** RFC 3339, such as `2026-02-03T04:05:06Z`. */
export function checkTimestamp(value: string): string | undefined {
  if (!timestampExpression.test(value)) return 'must be a time such as 2026-02-03T04:05:06Z (RFC 3339)';
  const day = Number(value.slice(8, 10));
  if (day <= 28) return undefined;
  const year = Number(value.slice(0, 4));
  const month = Number(value.slice(5, 7));
  const leapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return day <= (daysInMonth[month - 1] ?? 0) + leapDay ? undefined : 'must be a valid date';
}

const microsecondsExpression = /\.\d{6}(Z|[+-]\d\d:\d\d)$/u;

/** RFC 3339 with exactly six digits after the seconds, the only form of such times that Kubernetes reads. */
export function checkMicroTimestamp(value: string): string | undefined {
  if (!microsecondsExpression.test(value)) return 'must be a time such as 2026-02-03T04:05:06.000000Z (microseconds)';
  return checkTimestamp(value);
}

const qualifiedNameFormat: Format = { name: 'qualified-name', check: checkQualifiedName };
const timestampFormat: Format = { name: 'date-time', check: checkTimestamp };
const microTimestampFormat: Format = { name: 'date-time', check: checkMicroTimestamp };

type Description = { readonly description?: string };

export function dnsLabel(options: Description = {}): StringSchema {
  const pattern = { expression: dnsLabelExpression, hint: dnsLabelHint };
  return string({ minLength: 1, maxLength: LABEL_LENGTH_MAX, pattern, ...options });
}

/**
 * The syntax of the names of a kind's objects: a DNS label (at most 63 characters), a DNS subdomain, or, as Kubernetes
 * allows for roles, any text that can be one segment of a path, such as `system:node`.
 */
export type NameForm = 'label' | 'subdomain' | 'path';

/** Kubernetes allows 253. Keys of stores have segments of at most 200 characters, and `:` takes three of them. */
export const NAME_LENGTH_MAX = 200;

const subdomainFormat: Format = { name: 'dns-subdomain', check: checkDnsSubdomain };
const pathSegmentFormat: Format = {
  name: 'path-segment',
  check: (value) => {
    if (value === '.' || value === '..') return `may not be "${value}"`;
    if (!/^[\x21-\x7e]+$/u.test(value)) return 'must consist of printable ASCII characters';
    return /[/%]/u.test(value) ? "may not contain '/' or '%'" : undefined;
  },
};

export function nameSchema(form: NameForm, description: string): StringSchema {
  if (form === 'label') return dnsLabel({ description });
  const format = form === 'subdomain' ? subdomainFormat : pathSegmentFormat;
  return string({ minLength: 1, maxLength: NAME_LENGTH_MAX, format, description });
}

export function qualifiedName(options: Description = {}): StringSchema {
  return string({ minLength: 1, format: qualifiedNameFormat, ...options });
}

/** Annotation keys may have upper case in the prefix: Kubernetes checks them in lower case. */
export function annotationKey(): StringSchema {
  return string({ format: { name: 'annotation-key', check: (value) => checkQualifiedName(value.toLowerCase()) } });
}

export function labelValue(options: Description = {}): StringSchema {
  return string({ format: { name: 'label-value', check: checkLabelValue }, ...options });
}

export function timestamp(options: Description = {}): StringSchema {
  return string({ format: timestampFormat, ...options });
}

export function microTimestamp(options: Description = {}): StringSchema {
  return string({ format: microTimestampFormat, ...options });
}
