/** Shown in place of a secret. Tools recognize it, and refuse it as a value in input. */
export const hidden = '<hidden>';

/** Empty values and booleans are shown under every name: they hold no secret. */
const plainText = /^(?:true|false|null|none|undefined)?$/i;

export function isPlain(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || isPlainText(value);
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && (plainText.test(value) || value === hidden);
}
