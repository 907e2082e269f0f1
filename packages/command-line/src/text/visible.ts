/** Escapes untrusted text for terminals: a name could clear the screen or reverse the text direction. */

/** Text that needs no escaping. */
export const printableAscii = /^[ -~]*$/;

/**
 * Control characters, line and paragraph separators, halves of surrogate pairs, characters that turn the direction of
 * writing, and invisible ones that make two different names look the same. Joiners, variation selectors and tags are
 * left: emoji and several scripts need them.
 */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * On one line, with `\n`, `\x1b` or `\u202e` for unprintable characters. A backslash is not doubled, so the result cannot
 * be decoded.
 */
export function visible(text: string): string {
  if (printableAscii.test(text)) return text;
  return text.replace(unprintable, (character) => short[character] ?? escaped(character));
}

/** The same for several lines: keeps line ends and tabs. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** As strings of JSON and double-quoted YAML say it; line ends and tabs of the layout stay. The text must be of those. */
export function escapeInQuotes(text: string): string {
  return text.replace(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : `\\u${hex(character, 4)}`,
  );
}

/** Whether `escapeInQuotes` would change it. */
export function needsEscapes(text: string): boolean {
  return escapeInQuotes(text) !== text;
}

function escaped(character: string): string {
  return character.charCodeAt(0) < 0x100 ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
