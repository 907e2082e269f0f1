/** Shapes that several request bodies share. Optional fields may be null, because Go clients send them so. */
import { type JsonObject, type JsonValue, type Shape, shape } from '@ecsm/runtime';

/** Maximum length of names, ids, references and paths. */
const textLengthMax = 1_000;
export const listLengthMax = 10_000;

type Optional<T> = Shape<T> & { readonly isOptional: true };

export function maybe<T>(one: Shape<T>): Optional<T | null> {
  return shape.optional(shape.nullable(one));
}

/** A string that is not blank. */
export const text: Shape<string> = limited(
  shape.string(),
  (value) => value.trim() !== '' && value.length <= textLengthMax,
  `should have 1 to ${textLengthMax} characters`,
);

export const texts: Shape<readonly string[]> = limited(
  shape.list(text),
  (values) => values.length <= listLengthMax,
  `should have at most ${listLengthMax} entries`,
);

/** A boolean, or 0 or 1 as in the platform's database. */
export const flag: Shape<boolean | number> = limited(
  shape.either(shape.boolean(), shape.integer()),
  (value) => typeof value === 'boolean' || value === 0 || value === 1,
  'should be true or false',
);

/** A whole number from `min` to `max`. */
export function whole(min: number, max: number): Shape<number> {
  return limited(shape.integer(), (value) => value >= min && value <= max, `should be from ${min} to ${max}`);
}

/** Not negative; stays a safe integer when it is converted from mebibytes to bytes. */
export const amount: Shape<number> = limited(
  shape.number(),
  (value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER / 2 ** 20,
  'should be at least 0, and not too large',
);
export const bytes: Shape<number> = limited(
  shape.number(),
  (value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  'should be at least 0, and not too large',
);

// The values come from a JSON parser.
export const jsonObject = shape.record(shape.anything()) as Shape<JsonObject>;
export const jsonValue = shape.anything() as Shape<JsonValue>;

function limited<T>(one: Shape<T>, fits: (value: T) => boolean, reason: string): Shape<T> {
  return {
    isOptional: false,
    check: (value) => one.check(value) ?? (fits(value as T) ? undefined : { steps: [], reason }),
  };
}
