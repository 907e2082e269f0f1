/** Wraps text to a width, and formats counts with their nouns. */
import { displayWidth, pieces } from './width.ts';

/** Punctuation that must not start a line. */
const closing =
  /^[\uff0c\u3002\u3001\uff1b\uff1a\uff01\uff1f\uff09\u3011\u300b\u300d\u300f\u201d\u2019\u2026\u00b7\u3015\u3009]/u;

/**
 * Wraps text to `columns`, including the indent. Paragraphs and their leading spaces are kept. Chinese
 * wraps between any two characters; a Latin word longer than a line gets its own line.
 */
export function wrap(text: string, columns: number, indent = 0): string {
  const margin = ' '.repeat(Math.max(0, indent));
  const width = Math.max(1, columns - margin.length);
  return text
    .split('\n')
    .flatMap((paragraph) => linesOf(paragraph, width))
    .map((line) => `${margin}${line}`.trimEnd())
    .join('\n');
}

function linesOf(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = /^ */.exec(paragraph)?.[0] ?? '';
  let used = line.length;
  let isEmpty = true;
  for (const { text, blanks } of wordsOf(paragraph.slice(line.length))) {
    const space = isEmpty ? 0 : blanks;
    const needed = displayWidth(text);
    if (!isEmpty && used + space + needed > width) {
      lines.push(line);
      line = text;
      used = needed;
    } else {
      line += ' '.repeat(space) + text;
      used += space + needed;
    }
    isEmpty = false;
  }
  return [...lines, line];
}

interface Word {
  readonly text: string;
  /** Before it. */
  readonly blanks: number;
}

/** Units that are not split: a Latin word, or a wide character with the punctuation after it. */
function wordsOf(text: string): Word[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts: string[] = [];
      let isLatin = true;
      for (const piece of pieces(word)) {
        const isNarrow = piece.columns === 1;
        const joins = closing.test(piece.text) || (isNarrow && isLatin) || piece.columns === 0;
        if (joins && parts.length > 0) parts.push(`${parts.pop() ?? ''}${piece.text}`);
        else parts.push(piece.text);
        if (piece.columns > 0) isLatin = isNarrow;
      }
      return parts.map((part, index) => ({ text: part, blanks: index === 0 ? 1 : 0 }));
    });
}

/** `1 service`, `2 services`, `0 entries`; `many` for irregular plurals. */
export function plural(count: number, noun: string, many = regularPlural(noun)): string {
  return `${count} ${count === 1 ? noun : many}`;
}

function regularPlural(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}
