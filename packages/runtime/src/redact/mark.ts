/** What is shown in the place of a secret. Tools recognize it, and refuse it where a real value has to be. */
export const hidden = '<hidden>';

/** Empty values and switches are shown under every name: that there is no secret is none. */
const plainText = /^(?:true|false|null|none|undefined)?$/i;

export function isPlain(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean' || isPlainText(value);
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && (plainText.test(value) || value === hidden);
}
