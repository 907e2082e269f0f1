/** Shapes that bodies of several nouns share. A field that may be absent may be null too: Go clients send it so. */
import { type JsonObject, type JsonValue, type Shape, shape } from '@ecsm/runtime';

/** Names, ids, references and paths; far above anything that people write. */
export const textLengthMax = 1_000;
export const listLengthMax = 10_000;

type Optional<T> = Shape<T> & { readonly isOptional: true };

export function maybe<T>(one: Shape<T>): Optional<T | null> {
  return shape.optional(shape.nullable(one));
}

/** A string that says something. */
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

/** True and false, also as the platform's database writes them. */
export const flag: Shape<boolean | number> = limited(
  shape.either(shape.boolean(), shape.integer()),
  (value) => typeof value === 'boolean' || value === 0 || value === 1,
  'should be true or false',
);

/** A whole number within limits, both included. */
export function whole(min: number, max: number): Shape<number> {
  return limited(shape.integer(), (value) => value >= min && value <= max, `should be from ${min} to ${max}`);
}

/** Not negative; as far as numbers count one by one, even when it is mebibytes and becomes bytes. */
export const amount: Shape<number> = limited(
  shape.number(),
  (value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER / 2 ** 20,
  'should be at least 0, and not beyond reason',
);
export const bytes: Shape<number> = limited(
  shape.number(),
  (value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  'should be at least 0, and not beyond reason',
);

// Whatever came out of a JSON parser is JSON; the type system cannot know.
export const jsonObject = shape.record(shape.anything()) as Shape<JsonObject>;
export const jsonValue = shape.anything() as Shape<JsonValue>;

function limited<T>(one: Shape<T>, fits: (value: T) => boolean, reason: string): Shape<T> {
  return {
    isOptional: false,
    check: (value) => one.check(value) ?? (fits(value as T) ? undefined : { steps: [], reason }),
  };
}
