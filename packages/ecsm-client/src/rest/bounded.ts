/** Foreign text for use in messages: on one line, of bounded length, without secrets. */
import { redactText } from '@ecsm/runtime';

const cut = '…';

/** Line breaks, terminal control characters and characters that change the writing direction. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** Puts the text on one line and cuts it to at most `charactersMax` characters. */
export function bounded(text: string, charactersMax: number): string {
  // Cut first, so that a text of megabytes is not scanned.
  const head = text.slice(0, charactersMax * 4);
  const line = head.replace(unprintable, ' ').trim();
  if (line.length <= charactersMax && head.length === text.length) return line;
  const short = line.slice(0, charactersMax - 1);
  // Do not cut a surrogate pair in half.
  return `${/[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short}${cut}`;
}

/** The start of a foreign text, in quotes, without secrets. */
export function excerpt(text: string, charactersMax = 120): string {
  return JSON.stringify(bounded(redactText(text.slice(0, charactersMax * 8)), charactersMax));
}
