/**
 * Secrets in text that cannot be parsed: a cut-off body, an error message, a log line. Finds a name that is a secret's,
 * and takes out the value behind it: `"password":"…"`, `password=…`, `Authorization: …`, also within JSON within JSON.
 * Where the end of the value is not there or not clear, everything to the end of the text goes.
 */

export const replacement = '<redacted>';

/** Any name that contains one of these is a secret's. The last two are what the platform's Chinese messages say. */
export const secretWords =
  'password|passwd|passphrase|secret|token|authorization|cookie|api[-_]?key|private[-_]?key|credential|密码|口令';

const word = new RegExp(secretWords, 'gi');
const nameCharacter = /[\w.\-\u4e00-\u9fff]/;
/** What may stand between a name and its value: the name's closing quote, and a colon or equals sign. */
const separator = /(\\*["'])?\s*([:=：])\s*/y;
const openingQuote = /(\\*)(["'])/y;
/** `user:password@` of a URL, and the token of a `Bearer` that lost its header's name. */
const alwaysSecret = /(?<=:\/\/)[^\s/@"'<>]{1,256}(?=@)|(?<=\bBearer {1,4})[^\s"',;<>]+/gi;

export function redactText(text: string): string {
  let result = '';
  let kept = 0;
  word.lastIndex = 0;
  for (let hit = word.exec(text); hit; hit = word.exec(text)) {
    const nameEnd = endOfName(text, word.lastIndex);
    separator.lastIndex = nameEnd;
    const between = separator.exec(text);
    word.lastIndex = nameEnd;
    if (!between) continue;
    const valueStart = separator.lastIndex;
    const valueEnd = endOfValue(text, hit.index, valueStart, between[2] === '=');
    result += text.slice(kept, valueStart) + replacement;
    kept = valueEnd;
    word.lastIndex = valueEnd;
  }
  return (result + text.slice(kept)).replace(alwaysSecret, replacement);
}

function endOfName(text: string, from: number): number {
  let end = from;
  while (end < text.length && nameCharacter.test(text.charAt(end))) end++;
  return end;
}

function endOfValue(text: string, hit: number, start: number, isAssignment: boolean): number {
  openingQuote.lastIndex = start;
  const quote = openingQuote.exec(text);
  if (quote) return endOfString(text, openingQuote.lastIndex, quote[2] ?? '"', (quote[1] ?? '').length);
  if (/[{[]/.test(text.charAt(start))) return text.length;
  const around = isAssignment ? quoteBefore(text, hit) : undefined;
  // An entry of an environment in JSON, `"PASSWORD=x y"`: the value ends where the string does.
  if (around) return endOfString(text, start, around.mark, around.escapes, false);
  const rest = text.slice(start);
  const length = rest.search(isAssignment ? /[\s&,;"'})\]<]/ : /[\r\n,"'}\]]/);
  return length === -1 ? text.length : start + length;
}

/**
 * Where the string ends that was opened by a quote with so many backslashes before it: none in JSON, one in JSON within
 * a string of JSON, three one level further in. A quote that belongs to the value has more backslashes than those.
 */
function endOfString(text: string, from: number, mark: string, escapes: number, takesQuote = true): number {
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text.charAt(at - backslashes - 1) === '\\') backslashes++;
    const isClosing = backslashes % (2 * (escapes + 1)) === escapes;
    // Fewer backslashes than the opening quote had: the string around it ends here, and ours with it.
    if (isClosing || backslashes < escapes) return takesQuote && isClosing ? at + 1 : at - backslashes;
  }
  return text.length;
}

/** The quote right before the name that the word at `hit` is part of. */
function quoteBefore(text: string, hit: number): { readonly mark: string; readonly escapes: number } | undefined {
  let at = hit - 1;
  while (at >= 0 && nameCharacter.test(text.charAt(at))) at--;
  const mark = text.charAt(at);
  if (mark !== '"' && mark !== "'") return undefined;
  let escapes = 0;
  while (text.charAt(at - escapes - 1) === '\\') escapes++;
  return { mark, escapes };
}
