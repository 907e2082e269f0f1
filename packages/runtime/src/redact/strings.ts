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
 * quote inside the value has more backslashes than the opening one.
 */
export function endOfString(text: string, start: number, { mark, escapes }: Quote): number {
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > start && text.charAt(at - backslashes - 1) === '\\') backslashes++;
    if (backslashes % (2 * (escapes + 1)) === escapes) return at - escapes;
    // Fewer backslashes than the opening quote: the enclosing string ends here.
    if (backslashes < escapes) return at - backslashes;
  }
  return text.length;
}
