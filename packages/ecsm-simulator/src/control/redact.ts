/**
 * Text of a request or an answer that may be shown: cut to a length, with what is named like a secret left out. It works
 * on text, not on JSON, because a body may be cut in the middle or be no JSON at all; a secret that is cut is left out
 * up to the end.
 */
import { Buffer } from 'node:buffer';

const secret = '(?:password|passwd|secret|token|authorization|api_?key)';
/** `"vsoaPassword": "x"` */
const field = new RegExp(
  String.raw`("[^"\\]*${secret}[^"\\]*"\s*:\s*)(?:"(?:[^"\\]|\\[^])*(?:"|[^]*$)|[^\s",\]}[{]+)`,
  'gi',
);
/** The same inside a string that holds JSON, where each quote comes with a backslash. */
const fieldInText = new RegExp(
  String.raw`(\\"[^"\\]*${secret}[^"\\]*\\"\s*:\s*)\\"(?:[^"\\]|\\\\(?:\\\\|\\"|[^"\\]))*(?:\\"|[^]*$)`,
  'gi',
);
/** `"DB_PASSWORD=x"` in a list of environment variables. */
const assignment = new RegExp(String.raw`("[\w.-]*${secret}[\w.-]*=)(?:[^"\\]|\\[^]|\\$)*`, 'gi');
/** `&password=x` in a query. */
const parameter = new RegExp(String.raw`([?&][^=&\s]*${secret}[^=&\s]*=)[^&\s]*`, 'gi');

/** Most texts have none, and looking for it once is cheap. */
const anySecret = new RegExp(secret, 'i');

export function redactedText(text: string): string {
  if (!anySecret.test(text)) return text;
  return text
    .replace(field, '$1"<redacted>"')
    .replace(fieldInText, '$1\\"<redacted>\\"')
    .replace(assignment, '$1<redacted>')
    .replace(parameter, '$1<redacted>');
}

/** The beginning of a body as text; `…` where more follows. Empty where there is none, or it is not text. */
export function bodyExcerpt(body: Uint8Array, charactersMax: number): string {
  // A character of UTF-8 has four bytes at most.
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, charactersMax * 4)).toString('utf8');
  if (text.includes('\u0000')) return `(${body.byteLength} bytes)`;
  const isCut = text.length > charactersMax || body.byteLength > charactersMax * 4;
  return redactedText(text.slice(0, charactersMax)) + (isCut ? '…' : '');
}
