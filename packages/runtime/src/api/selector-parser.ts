/** Parses the string form of label selectors: `a=b,c!=d,e in (x,y),f notin (z),g,!h`. */
import { ApiError } from './errors.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';
import { type LabelSelector, REQUIREMENT_VALUES_MAX, REQUIREMENTS_MAX, type Requirement } from './selector.ts';

export const SELECTOR_LENGTH_MAX = 64 * 1024;

interface Token {
  /** The empty string at the end. */
  readonly text: string;
  /** Counted from 1. */
  readonly position: number;
}

/** Throws BadRequest with the position, the token found and the token expected. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.length > SELECTOR_LENGTH_MAX) {
    throw new ApiError('BadRequest', { reason: `label selector is longer than ${SELECTOR_LENGTH_MAX} characters` });
  }
  return new Parser(text).selector();
}

/** White space only separates words; a word has no white space and no operator character. */
const tokenExpression = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+|$)/uy;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    const tokens: Token[] = [];
    tokenExpression.lastIndex = 0;
    for (let match = tokenExpression.exec(text); match !== null; match = tokenExpression.exec(text)) {
      const token = match[1] ?? '';
      tokens.push({ text: token, position: tokenExpression.lastIndex - token.length + 1 });
      if (token === '') break;
    }
    this.#tokens = tokens;
  }

  selector(): LabelSelector {
    const requirements: Requirement[] = [];
    if (this.#peek().text === '') return { requirements };
    for (;;) {
      if (requirements.length === REQUIREMENTS_MAX)
        throw this.#error(this.#peek(), `at most ${REQUIREMENTS_MAX} requirements`);
      requirements.push(this.#requirement());
      const token = this.#take();
      if (token.text === '') return { requirements };
      if (token.text !== ',') throw this.#error(token, '"," or the end');
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().text === '!';
    if (negated) this.#take();
    const key = this.#key();
    if (negated) return { key, operator: 'DoesNotExist' };
    const token = this.#peek();
    switch (token.text) {
      case '':
      case ',':
        return { key, operator: 'Exists' };
      case '=':
      case '==':
      case '!=':
        this.#take();
        return { key, operator: token.text === '!=' ? 'NotIn' : 'In', values: [this.#value()] };
      case 'in':
      case 'notin':
        this.#take();
        return { key, operator: token.text === 'in' ? 'In' : 'NotIn', values: this.#values() };
      default:
        throw this.#error(token, '"=", "==", "!=", "in", "notin", "," or the end');
    }
  }

  #key(): string {
    const token = this.#take();
    if (!isWord(token)) throw this.#error(token, 'a label key');
    const reason = checkQualifiedName(token.text);
    if (reason !== undefined) throw this.#error(token, `a label key: ${reason}`);
    return token.text;
  }

  /** `a=` and `a in (x,)` mean the empty value, so a value may have no token. */
  #value(): string {
    const token = this.#peek();
    if (token.text === '' || token.text === ',' || token.text === ')') return '';
    this.#take();
    if (!isWord(token)) throw this.#error(token, 'a label value');
    const reason = checkLabelValue(token.text);
    if (reason !== undefined) throw this.#error(token, `a label value: ${reason}`);
    return token.text;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw this.#error(open, '"("');
    const values = new Set<string>();
    for (;;) {
      values.add(this.#value());
      const token = this.#take();
      if (token.text === ')') return [...values];
      if (token.text !== ',') throw this.#error(token, '"," or ")"');
      if (values.size === REQUIREMENT_VALUES_MAX)
        throw this.#error(this.#peek(), `at most ${REQUIREMENT_VALUES_MAX} values`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { text: '', position: this.#text.length + 1 };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #error({ text, position }: Token, expected: string): ApiError {
    const shown = this.#text.length > 200 ? `${this.#text.slice(0, 200)}…` : this.#text;
    const found = text === '' ? 'the end' : `"${text}"`;
    return new ApiError('BadRequest', {
      reason: `label selector "${shown}": at character ${position}: found ${found}, expected ${expected}`,
    });
  }
}

function isWord(token: Token): boolean {
  return token.text !== '' && !/^[=!(),<>]/u.test(token.text);
}
