/**
 * How many columns a text takes in a terminal: Chinese characters and emoji take two, accents none. Colours (as `paint`
 * makes them) take none either. Other control characters count as nothing; show them with `visible` first.
 */
import { printableAscii } from './visible.ts';

/**
 * Characters that nothing combines with, at a glance: ASCII, Western European, dashes, arrows, lines and blocks, all of
 * one column, and from `firstWide` on most Chinese ones, all of two.
 */
const plainText =
  /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u2193\u2500-\u259f\u3001-\u3029\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60]*$/;
const firstWide = '\u3001';

/** East Asian wide and full-width characters (UAX #11) that are not emoji; blocks with only such ones as a whole. */
const wideRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

const colour = new RegExp(`${'\u001b'}\\[[\\d;]*m`, 'g');
/** Also the vowels and final consonants of Hangul, which are drawn into the syllable. */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]$/u;
const emojiSequence =
  /^(?:\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Extended_Pictographic}.*\u200d)/su;
const emoji = /^(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u;
/** Half-width marks of voiced sounds belong to the character before them, and have a column of their own. */
const halfWidthMark = /[\uff9e\uff9f]/g;

interface Piece {
  readonly text: string;
  readonly columns: number;
}

export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let columns = 0;
  if (plainText.test(text)) for (const character of text) columns += character < firstWide ? 1 : 2;
  else for (const piece of pieces(text)) columns += piece.columns;
  return columns;
}

/** Truncates to `columns`. A truncated text ends with `…` and a reset of its colour. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return '';
  if (printableAscii.test(text)) return `${text.slice(0, columns - 1)}…`;
  let kept = '';
  let left = columns - 1;
  let isColoured = false;
  for (const piece of pieces(text)) {
    if (piece.columns > left) break;
    left -= piece.columns;
    kept += piece.text;
    isColoured ||= piece.text.startsWith('\u001b[');
  }
  return `${kept}…${isColoured ? '\u001b[0m' : ''}`;
}

/** Pads with spaces to `columns`; a longer text is returned unchanged. */
export function padEnd(text: string, columns: number): string {
  return text + blanks(columns - displayWidth(text));
}

/** Indivisible pieces: grapheme clusters and colour sequences. */
export function* pieces(text: string): Generator<Piece> {
  let end = 0;
  for (const found of text.matchAll(colour)) {
    yield* characters(text.slice(end, found.index));
    yield { text: found[0], columns: 0 };
    end = found.index + found[0].length;
  }
  yield* characters(text.slice(end));
}

function* characters(text: string): Generator<Piece> {
  if (plainText.test(text)) {
    for (const character of text) yield { text: character, columns: character < firstWide ? 1 : 2 };
    return;
  }
  for (const { segment } of graphemes().segment(text)) yield { text: segment, columns: columnsOf(segment) };
}

function columnsOf(grapheme: string): number {
  if (emojiSequence.test(grapheme)) return 2;
  for (const character of grapheme) {
    if (zeroWidth.test(character)) continue;
    const marks = grapheme.length === 1 ? 0 : (grapheme.match(halfWidthMark)?.length ?? 0);
    return (isWide(character) ? 2 : 1) + marks;
  }
  return 0;
}

function isWide(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return emoji.test(character) || wideRanges.some(([first, last]) => first <= code && code <= last);
}

function blanks(count: number): string {
  return ' '.repeat(Math.max(0, count));
}

let segmenter: Intl.Segmenter | undefined;

/** Created on first use: it costs a millisecond, and most texts are ASCII. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter;
}
