/**
 * Hides secrets in text: messages, log lines, command lines, connection strings, bodies that are truncated or not JSON.
 * Hides the value after the name of a secret (`password=…`, `"password":"…"`, `--password …`, also in JSON within JSON),
 * and secrets that have a known format. Where the end of a value is not clear, everything to the end of the text is
 * hidden.
 *
 * The time is proportional to the length of the text. Redacting a redacted text changes nothing.
 */
import { hidden, isPlain } from './mark.ts';
import { isSecretFlag, isSecretName, isWorkingDirectory, NAME_CHARACTERS_MAX } from './names.ts';
import { hidePrivateKeys, hideShapes } from './shapes.ts';
import { endOfString, isNameCharacter, type Quote, quoteAt, quoteBefore } from './strings.ts';

/** A separator of a name and its value, or the start of a flag. Non-ASCII characters are escaped: see names.ts. */
const candidate = /[:=\uff1a]|(?<![\w-])--?(?=[A-Za-z])/g;
const separator = /[:=\uff1a][=>]?\s{0,64}/y;
/** The value of a `name` or `key`, if it can be a name. */
const label = /[:=\uff1a]\s{0,64}\\*["']?([\w./-]{1,128})/y;
/** `--password x`, and `"--password","x"` in a list. */
const flagBeforeValue = /--?[A-Za-z][\w.-]{0,127}(?:\\*["']\s{0,16},\s{0,16}|[ \t]{1,16})/y;
/** Prose after the name instead of a value. */
const sentence = /(?:a|and|are|cannot|for|has|in|is|may|must|needs?|not|of|or|the|to|was|with)\s|-/y;
/** A message about a field after its path, from validation or a comparison. */
const statement =
  /(?:(?:Required|Invalid|Unsupported|Duplicate) value|Unknown field|Too (?:long|short|many|few)|Forbidden:|must\s|cannot\s|may\s|has to\s|expected\s|there (?:is|are)\s|is\s|none \u2192|(?:wrong|missing|unknown)(?=[\s.,;)]|$)|did you mean)/y;
/** The value in such a message. */
const statedValue = /(?:Invalid|Unsupported|Duplicate) value: /y;
const blockScalar = /[|>][-+\d]{0,2}[ \t]{0,16}(?:\r?\n|\\n)/y;
/** Headers whose values have commas and quotes in them. */
const wholeLine = /(?:^|-)(?:authorization|cookie)$/i;
/** A scheme before credentials, as in `authorization=Bearer x`. */
const scheme = /(?:ApiKey|AWS4-HMAC-SHA256|Basic|Bearer|Digest|Negotiate|NTLM|Token)[ \t]/iy;
const spaces = 64;

export function redactText(text: string): string {
  return hideShapes(hideNamed(hidePrivateKeys(text)));
}

interface Name {
  readonly text: string;
  /** Where it starts, or the quote around it. */
  readonly start: number;
  readonly isQuoted: boolean;
}

function hideNamed(text: string): string {
  let result = '';
  let kept = 0;
  /** Whether the last `name` or `key` marks the `value` after it as a secret: `{"name":"TOKEN","value":"x"}`. */
  let isLabelSecret = false;
  candidate.lastIndex = 0;
  for (let hit = candidate.exec(text); hit; hit = candidate.exec(text)) {
    const next = candidate.lastIndex;
    let value: Span | undefined;
    if (hit[0].startsWith('-')) value = valueOfFlag(text, hit.index);
    else {
      const name = nameBefore(text, hit.index);
      if (name === undefined) continue;
      if (/^(?:name|key)$/i.test(name.text)) isLabelSecret = isSecretLabel(text, hit.index);
      const isSecret = isSecretPart(name.text) || (isLabelSecret && /^value$/i.test(name.text));
      value = isSecret ? valueAfter(text, name, hit.index) : undefined;
    }
    if (value === undefined || isPlain(text.slice(value.start, value.end))) continue;
    result += text.slice(kept, value.start) + hidden;
    kept = value.end;
    candidate.lastIndex = Math.max(next, value.end);
  }
  return kept === 0 ? text : result + text.slice(kept);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function isSecretPart(name: string): boolean {
  return name.startsWith('-') ? isSecretFlag(name) : isSecretName(name);
}

function isSecretLabel(text: string, position: number): boolean {
  label.lastIndex = position;
  const name = label.exec(text)?.[1];
  return name !== undefined && isSecretName(name);
}

function nameBefore(text: string, position: number): Name | undefined {
  let end = position;
  while (position - end < spaces && /[ \t]/.test(text.charAt(end - 1))) end--;
  const quote = quoteBefore(text, end);
  const last = quote ? end - 1 - quote.escapes : end;
  let start = last;
  while (start > 0 && last - start < NAME_CHARACTERS_MAX && isNameCharacter(text.charAt(start - 1))) start--;
  return start === last ? undefined : { text: text.slice(start, last), start, isQuoted: quote !== undefined };
}

/** Undefined if what follows is not the value of that name. */
function valueAfter(text: string, name: Name, position: number): Span | undefined {
  separator.lastIndex = position;
  separator.exec(text);
  const start = separator.lastIndex;
  const isColon = text.charAt(position) !== '=';
  // The scheme of a URL.
  if (isColon && text.startsWith('//', position + 1)) return undefined;
  if (text.startsWith(hidden, start)) return undefined;
  // `the token= was missing`
  if (!isColon && /\s/.test(text.charAt(position + 1)) && startsWith(sentence, text, start)) return undefined;
  const quote = quoteAt(text, start);
  if (quote && (name.isQuoted || !isClosing(text, name, quote))) {
    return { start: quote.start, end: endOfString(text, quote.start, quote) };
  }
  if (isColon && !name.isQuoted && startsWith(statement, text, start)) return valueStated(text, start);
  // A list, an object or a YAML block scalar: its end is not searched.
  if (/[{[]/.test(text.charAt(start)) || (isColon && startsWith(blockScalar, text, start)))
    return { start, end: text.length };
  if (isWorkingDirectory(name.text, text.charAt(start))) return undefined;
  return { start, end: endOfValue(text, name, start, isColon) };
}

/** `password: Invalid value: "x": must be longer`, as an API server writes it. */
function valueStated(text: string, position: number): Span | undefined {
  const quote = startsWith(statedValue, text, position) ? quoteAt(text, statedValue.lastIndex) : undefined;
  return quote && { start: quote.start, end: endOfString(text, quote.start, quote) };
}

/** Whether a quote only ends the string that contains the name: `"the token="`. */
function isClosing(text: string, name: Name, quote: Quote): boolean {
  const around = quoteBefore(text, name.start);
  return around !== undefined && around.mark === quote.mark && around.escapes === quote.escapes;
}

function endOfValue(text: string, name: Name, start: number, isColon: boolean): number {
  const around = name.isQuoted ? undefined : quoteBefore(text, name.start);
  // An environment variable in JSON, `"PASSWORD=x y"`: the value ends where the string ends.
  if (around) return endOfString(text, start, around);
  const isLine = isColon ? wholeLine.test(name.text) : startsWith(scheme, text, start);
  const end = isLine ? /[\r\n]/g : isColon ? /[\r\n,"'}\]]/g : /[\s&,;"'`})\]<]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

function valueOfFlag(text: string, position: number): Span | undefined {
  flagBeforeValue.lastIndex = position;
  const found = flagBeforeValue.exec(text)?.[0];
  if (found === undefined || !isSecretFlag(/^[\w.-]+/.exec(found)?.[0] ?? '')) return undefined;
  const start = flagBeforeValue.lastIndex;
  const quote = quoteAt(text, start);
  if (quote) return { start: quote.start, end: endOfString(text, quote.start, quote) };
  if (text.startsWith(hidden, start) || startsWith(sentence, text, start)) return undefined;
  const end = /[\s"'`]/g;
  end.lastIndex = start;
  return { start, end: end.exec(text)?.index ?? text.length };
}

function startsWith(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}
