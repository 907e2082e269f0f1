/**
 * What JSON has to look like, as data, and a strict check of it: every field that a form names has to be there, and no
 * other. The client's own shapes are tolerant on purpose, so they cannot tell whether an answer is as documented.
 */
import { isDeepStrictEqual } from 'node:util';
import { shape } from '@ecsm/runtime';

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

const scalars = {
  text: (value: unknown) => typeof value === 'string',
  /** Opaque, but never empty. */
  id: matches(/^\S+$/),
  uuid: matches(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  /** Of templates: hex digits without dashes. */
  hexId: matches(/^[0-9a-f]{32}$/),
  dockerId: matches(/^[0-9a-f]{64}$/),
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  /** Not negative. */
  amount: (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  /** Of a whole, so never beyond 100. */
  percent: (value: unknown) => typeof value === 'number' && value >= 0 && value <= 100,
  percentText: matches(/^\d{1,3}(?:\.\d+)?$/),
  boolean: (value: unknown) => typeof value === 'boolean',
  null: (value: unknown) => value === null,
  /** `ip:port` */
  address: matches(/^\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}$/),
  ip: matches(/^\d{1,3}(?:\.\d{1,3}){3}$/),
  /** `2024-06-03 23:28:20` */
  plainTime: matches(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  /** ISO 8601 in UTC. */
  isoTime: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/),
  nanosecondTime: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
  imageRef: matches(/^[^@#\s]+@[^@#\s]+#(?:linux|sylixos)$/),
  jsonText: (value: unknown) => typeof value === 'string' && isJsonObject(value),
  object: shape.isObject,
  /** Where the reference says nothing at all. */
  anything: (value: unknown) => value !== undefined,
} as const satisfies Record<string, (value: unknown) => boolean>;

export type Form =
  | keyof typeof scalars
  | { readonly exactly: unknown }
  | { readonly words: readonly string[] }
  | { readonly either: readonly Form[] }
  | { readonly list: Form; readonly canBeEmpty: boolean }
  | { readonly fields: Readonly<Record<string, Form>> };

export const exactly = (value: unknown): Form => ({ exactly: value });
export const words = (...known: readonly string[]): Form => ({ words: known });
export const either = (...forms: readonly Form[]): Form => ({ either: forms });
export const orNull = (form: Form): Form => either('null', form);
/** At least one: an empty list would hide what its items look like. */
export const list = (form: Form): Form => ({ list: form, canBeEmpty: false });
export const listOrNone = (form: Form): Form => ({ list: form, canBeEmpty: true });
export const object = (fields: Readonly<Record<string, Form>>): Form => ({ fields });

/** Every way in which the value departs from the form, each as one readable line. */
export function departures(form: Form, value: unknown, place = 'data'): readonly string[] {
  const isNot = (wanted: string) => [`${place} is not ${wanted}: ${JSON.stringify(value)}`];
  if (typeof form === 'string') return scalars[form](value) ? [] : isNot(form);
  if ('exactly' in form) return isDeepStrictEqual(value, form.exactly) ? [] : isNot(JSON.stringify(form.exactly));
  if ('words' in form) {
    return typeof value === 'string' && form.words.includes(value) ? [] : isNot(form.words.join(' or '));
  }
  if ('either' in form) {
    const all = form.either.map((one) => departures(one, value, place));
    return all.some((one) => one.length === 0) ? [] : all.flat();
  }
  if ('list' in form) {
    if (!Array.isArray(value)) return isNot('a list');
    if (value.length === 0 && !form.canBeEmpty) return [`${place} is empty`];
    return value.flatMap((item: unknown, index) => departures(form.list, item, `${place}[${index}]`));
  }
  if (!shape.isObject(value)) return isNot('an object');
  const extra = Object.keys(value).filter((name) => !Object.hasOwn(form.fields, name));
  return [
    ...extra.map((name) => `${place}.${name} is not documented`),
    ...Object.entries(form.fields).flatMap(([name, field]) =>
      Object.hasOwn(value, name) ? departures(field, value[name], `${place}.${name}`) : [`${place}.${name} is missing`],
    ),
  ];
}

function isJsonObject(text: string): boolean {
  try {
    return shape.isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
