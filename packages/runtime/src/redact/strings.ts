/** Finds the end of a value in a text, which may be JSON, JSON within JSON, or truncated anywhere. */

const nameCharacter = /[\w.\-\u4e00-\u9fff]/;

export function isNameCharacter(character: string): boolean {
  return nameCharacter.test(character);
}

/** A quote, and the number of backslashes before it: none in JSON, one in JSON within a string of JSON, then three. */
export interface Quote {
  readonly mark: string;
  readonly escapes: number;
}

const openingQuote = /(\\*)(["'])/y;

/** The quote at a position, and the start of the text in it. */
export function quoteAt(text: string, position: number): (Quote & { readonly start: number }) | undefined {
  openingQuote.lastIndex = position;
  const found = openingQuote.exec(text);
  if (!found) return undefined;
  return { mark: found[2] ?? '"', escapes: (found[1] ?? '').length, start: openingQuote.lastIndex };
}

/** The quote that ends right before a position. */
export function quoteBefore(text: string, position: number): Quote | undefined {
  const mark = text.charAt(position - 1);
  if (mark !== '"' && mark !== "'") return undefined;
  let escapes = 0;
  while (text.charAt(position - 2 - escapes) === '\\') escapes++;
  return { mark, escapes };
}

/**
 * The position of the quote that closes a string, including its backslashes; the end of the text if there is none. A
 * quote inside the value has more backslashes than the opening one, or is doubled, as in YAML, SQL and CSV.
 */
export function endOfString(text: string, start: number, { mark, escapes }: Quote): number {
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > start && text.charAt(at - backslashes - 1) === '\\') backslashes++;
    if (backslashes % (2 * (escapes + 1)) === escapes) {
      const next = startOfRest(text, at + 1, { mark, escapes });
      if (next === undefined) return at - escapes;
      at = next - 1;
      continue;
    }
    // Fewer backslashes than the opening quote: the enclosing string ends here.
    if (backslashes < escapes) return at - backslashes;
  }
  return text.length;
}

/** Where a value goes on after a quote in it: `'it''s'`, or `'it'\''s'` in a shell. Undefined if the quote closes it. */
function startOfRest(text: string, position: number, { mark, escapes }: Quote): number | undefined {
  const again = `${'\\'.repeat(escapes)}${mark}`;
  if (text.startsWith(again, position)) return position + again.length;
  shellQuote.lastIndex = position;
  return mark === "'" && shellQuote.test(text) ? shellQuote.lastIndex : undefined;
}

const shellQuote = /\\{1,8}''/y;
