/** Reads a template from left to right: signs, names, numbers and quoted strings. */
import { PathError } from './jsonpath-syntax.ts';

/** A name ends at these, unless a backslash stands before them. */
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

  sees(sign: string): boolean {
    return this.text.startsWith(sign, this.at);
  }

  /** Goes on behind it if it is there. */
  take(sign: string): boolean {
    if (!this.sees(sign)) return false;
    this.at += sign.length;
    return true;
  }

  /** A whole word: `range`, but not the beginning of `ranges`. */
  takeWord(word: string): boolean {
    const next = this.text.charAt(this.at + word.length);
    if (!this.sees(word) || (next !== '' && nameCharacter.test(next))) return false;
    this.at += word.length;
    return true;
  }

  expect(sign: string): void {
    if (!this.take(sign)) throw this.fail(`expected ${quoted(sign)}, but ${this.found()}`);
  }

  found(): string {
    const [next] = this.text.slice(this.at, this.at + 2);
    return next === undefined ? 'found the end' : `found ${quoted(next)}`;
  }

  blanks(): void {
    while (/\s/u.test(this.text.charAt(this.at))) this.at++;
  }

  textUntil(sign: string): string {
    const end = this.text.indexOf(sign, this.at);
    const start = this.at;
    this.at = end === -1 ? this.text.length : end;
    return this.text.slice(start, this.at);
  }

  /** `metadata`, `ecsm\.sh/owner`; the backslashes go. Empty if there is none. */
  name(): string {
    let name = '';
    for (; !this.isAtEnd; this.at++) {
      if (this.sees('\\') && this.at + 1 < this.text.length) this.at++;
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

  /** What stands between quotes, as it is written; undefined if there is no quote. */
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

/** `\n` becomes a line end, `\"` a quote; other characters stand for themselves. */
export function unescaped(text: string): string {
  return text.replace(/\\(.)/gsu, (_, character: string) => escapes[character] ?? character);
}

function quoted(sign: string): string {
  return sign === '"' ? `'${sign}'` : `"${sign}"`;
}
