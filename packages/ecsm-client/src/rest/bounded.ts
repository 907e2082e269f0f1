/** Texts of others in messages: on one line, of bounded length, without secrets. */
import { redactText } from '@ecsm/runtime';

const cut = '…';

/** What a message must not hold: line breaks, and characters that steer a terminal or turn the direction of writing. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** On one line, at most so many characters. */
export function bounded(text: string, charactersMax: number): string {
  // Cut first: the rest of a text of megabytes is not worth a look.
  const head = text.slice(0, charactersMax * 4);
  const line = head.replace(unprintable, ' ').trim();
  if (line.length <= charactersMax && head.length === text.length) return line;
  const short = line.slice(0, charactersMax - 1);
  // Half of a surrogate pair is no character.
  return `${/[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short}${cut}`;
}

/** A few words of a foreign text, in quotes, without secrets. */
export function excerpt(text: string, charactersMax = 120): string {
  return JSON.stringify(bounded(redactText(text.slice(0, charactersMax * 8)), charactersMax));
}
