/** Objects without the fields that have nothing in them: what a spec does not set is not sent. */

/** The same fields, none of them empty. */
export type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Without the fields that are undefined or null. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: { -readonly [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}

/** The same, but undefined if nothing is left. */
export function presentOrNone<T extends object>(fields: T): Present<T> | undefined {
  const kept = present(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}
