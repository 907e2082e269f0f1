/**
 * Tolerant validation of JSON from other systems. A `Schema` defines every field of our own objects; a `Shape` lists the
 * fields that we rely on in external ones. These must be present and have the right type; other fields are kept. Values
 * are never copied or changed, so that they can be sent back complete.
 */

/** Where a value does not match its shape, innermost step first, and why. */
export interface Mismatch {
  readonly steps: (string | number)[];
  readonly reason: string;
}

export interface Shape<T> {
  /** Returns undefined if the value matches. */
  readonly check: (value: unknown) => Mismatch | undefined;
  /** Whether a field of this shape may be absent. */
  readonly isOptional: boolean;
  /** Only for the type system; never set. */
  readonly type?: T;
}

export type Shaped<S> = S extends Shape<infer T> ? T : never;

interface OptionalShape<T> extends Shape<T> {
  readonly isOptional: true;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalNames<F extends Fields> = {
  [N in keyof F]: F[N] extends OptionalShape<unknown> ? N : never;
}[keyof F];
type Flat<T> = { readonly [N in keyof T]: T[N] };

/** The named fields; other fields may be present too. */
type ShapedFields<F extends Fields> = Flat<
  { [N in Exclude<keyof F, OptionalNames<F>>]: Shaped<F[N]> } & { [N in OptionalNames<F>]?: Shaped<F[N]> }
>;

const valueLengthMax = 40;

function simple<T>(test: (value: unknown) => boolean, expected: string): Shape<T> {
  return {
    isOptional: false,
    check: (value) => (test(value) ? undefined : { steps: [], reason: `should be ${expected}, but is ${show(value)}` }),
  };
}

const anyString = simple<string>((value) => typeof value === 'string', 'a string');
const anyNumber = simple<number>((value) => typeof value === 'number', 'a number');
const wholeNumber = simple<number>(Number.isSafeInteger, 'a whole number');
const anyBoolean = simple<boolean>((value) => typeof value === 'boolean', 'true or false');
const any: Shape<unknown> = { isOptional: false, check: () => undefined };

export const string = (): Shape<string> => anyString;
export const number = (): Shape<number> => anyNumber;
export const integer = (): Shape<number> => wholeNumber;
export const boolean = (): Shape<boolean> => anyBoolean;
export const anything = (): Shape<unknown> => any;

/** A string that usually is one of these. An unknown value is accepted, because newer systems may add some. */
export function word<const Word extends string>(..._known: readonly Word[]): Shape<Word | (string & {})> {
  return anyString as Shape<Word | (string & {})>;
}

/** Exactly one of these strings. */
export function exactly<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  return simple<Word>((value) => words.includes(value as Word), words.map((one) => JSON.stringify(one)).join(' or '));
}

/** The value, or null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return { isOptional: false, check: (value) => (value === null ? undefined : shape.check(value)) };
}

/** A field that may be absent. */
export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { isOptional: true, check: (value) => (value === undefined ? undefined : shape.check(value)) };
}

export function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return {
    isOptional: false,
    check(value) {
      if (!Array.isArray(value)) return { steps: [], reason: `should be a list, but is ${show(value)}` };
      for (let index = 0; index < value.length; index++) {
        const mismatch = items.check(value[index]);
        if (mismatch) return within(index, mismatch);
      }
      return undefined;
    },
  };
}

/** An object with at least these fields. */
export function object<F extends Fields>(fields: F): Shape<ShapedFields<F>> {
  const entries = Object.entries(fields);
  return {
    isOptional: false,
    check(value) {
      if (!isObject(value)) return { steps: [], reason: `should be an object, but is ${show(value)}` };
      for (const [name, shape] of entries) {
        const field = Object.hasOwn(value, name) ? value[name] : undefined;
        if (field === undefined && !shape.isOptional) return { steps: [name], reason: 'is missing' };
        const mismatch = shape.check(field);
        if (mismatch) return within(name, mismatch);
      }
      return undefined;
    },
  };
}

/** An object with arbitrary keys. */
export function record<T>(values: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    isOptional: false,
    check(value) {
      if (!isObject(value)) return { steps: [], reason: `should be an object, but is ${show(value)}` };
      for (const name of Object.keys(value)) {
        const mismatch = values.check(value[name]);
        if (mismatch) return within(name, mismatch);
      }
      return undefined;
    },
  };
}

/** Any of several shapes. The reported mismatch is the deepest one. */
export function either<S extends readonly Shape<unknown>[]>(...shapes: S): Shape<Shaped<S[number]>> {
  return {
    isOptional: false,
    check(value) {
      let best: Mismatch | undefined;
      for (const shape of shapes) {
        const mismatch = shape.check(value);
        if (mismatch === undefined) return undefined;
        if (best === undefined || mismatch.steps.length > best.steps.length) best = mismatch;
      }
      return best;
    },
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `data.list[3].status should be a string, but is 5`, or undefined if the value matches. */
export function complaint(shape: Shape<unknown>, value: unknown, root: string): string | undefined {
  const mismatch = shape.check(value);
  if (mismatch === undefined) return undefined;
  const path = mismatch.steps.reduceRight<string>(
    (parent, step) => (typeof step === 'number' ? `${parent}[${step}]` : `${parent}.${step}`),
    root,
  );
  return `${path} ${mismatch.reason}`;
}

function within(step: string | number, mismatch: Mismatch): Mismatch {
  mismatch.steps.push(step);
  return mismatch;
}

/** A short description of a value. Never the text of a string: it could be a password. */
function show(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) return 'a list';
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'object') return 'an object';
  return String(value).slice(0, valueLengthMax);
}
