/** Reads the tokens of a template: punctuation, names, numbers and quoted strings. */
import { PathError } from './jsonpath-syntax.ts';

/** A character of a name. Others need a backslash. */
const nameCharacter = /[^\s.,[\](){}$@'"=!<>]/u;
const number = /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const integer = /[+-]?\d+/y;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  fail(reason: string, at = this.at): PathError {
    return PathError.at(this.text, at, reason);
  }

  isAt(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Skips the token and returns true if it is next. */
  take(token: string): boolean {
    if (!this.isAt(token)) return false;
    this.at += token.length;
    return true;
  }

  /** Skips a whole word: `range`, but not the start of `ranges`. */
  takeWord(word: string): boolean {
    const next = this.text.charAt(this.at + word.length);
    if (!this.isAt(word) || (next !== '' && nameCharacter.test(next))) return false;
    this.at += word.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.fail(`expected ${quoted(token)}, but ${this.found()}`);
  }

  found(): string {
    const [next] = this.text.slice(this.at, this.at + 2);
    return next === undefined ? 'found the end' : `found ${quoted(next)}`;
  }

  blanks(): void {
    while (/\s/u.test(this.text.charAt(this.at))) this.at++;
  }

  textUntil(token: string): string {
    const end = this.text.indexOf(token, this.at);
    const start = this.at;
    this.at = end === -1 ? this.text.length : end;
    return this.text.slice(start, this.at);
  }

  /** `metadata`, `ecsm\.sh/owner`, without the backslashes. Returns '' if there is none. */
  name(): string {
    let name = '';
    for (; !this.isAtEnd; this.at++) {
      if (this.isAt('\\') && this.at + 1 < this.text.length) this.at++;
      else if (!nameCharacter.test(this.text.charAt(this.at))) break;
      name += this.text.charAt(this.at);
    }
    return name;
  }

  number(): number | undefined {
    const found = this.#match(number);
    return found === undefined ? undefined : Number(found);
  }

  integer(): number | undefined {
    const found = this.#match(integer);
    return found === undefined ? undefined : Number(found);
  }

  /** The text between quotes, still escaped. Returns undefined if there is no quote. */
  quoted(): string | undefined {
    const start = this.at;
    const quote = this.text.charAt(start);
    if (quote !== '"' && quote !== "'") return undefined;
    for (let end = start + 1; end < this.text.length; end++) {
      const character = this.text.charAt(end);
      if (character === '\\') end++;
      else if (character === quote) {
        this.at = end + 1;
        return this.text.slice(start + 1, end);
      }
    }
    throw this.fail(`the string has no closing ${quote}`, start);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

/** `\n` becomes a newline, `\"` a quote; an escaped other character is the character itself. */
export function unescaped(text: string): string {
  return text.replace(/\\(.)/gsu, (_, character: string) => escapes[character] ?? character);
}

function quoted(token: string): string {
  return token === '"' ? `'${token}'` : `"${token}"`;
}
