/** Excerpts of bodies for the journal: of bounded length, without secrets. */
import { Buffer } from 'node:buffer';
import { redactText } from '@ecsm/runtime';

/** Returns the start of a body as text, with `…` if it was cut, or its size if it is not text. */
export function bodyExcerpt(body: Uint8Array, charactersMax: number): string {
  // A character of UTF-8 has four bytes at most.
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, charactersMax * 4)).toString('utf8');
  if (text.includes('\u0000')) return `(${body.byteLength} bytes)`;
  const isCut = text.length > charactersMax || body.byteLength > charactersMax * 4;
  return redactText(text.slice(0, charactersMax)) + (isCut ? '…' : '');
}
