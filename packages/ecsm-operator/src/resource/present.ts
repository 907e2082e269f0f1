/** Objects without undefined and null fields: what a spec does not set is not sent. */

/** The same fields, none of them undefined or null. */
type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Without the fields that are undefined or null. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: { -readonly [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}

/** The same, but returns undefined if no field is left. */
export function presentOrNone<T extends object>(fields: T): Present<T> | undefined {
  const kept = present(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}
