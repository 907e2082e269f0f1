/**
 * The query of a request. Lists repeat a name with brackets: `ids[]=a&ids[]=b`; the brackets may be encoded. An empty
 * value counts as absent, because forms send it for an empty field.
 */
import { badRequest } from './input.ts';

export class Query {
  readonly #values = new Map<string, string[]>();

  /** Throws a `Refusal` for malformed percent-encoding. */
  constructor(text: string) {
    for (const pair of text.split('&')) {
      const at = pair.indexOf('=');
      const name = decode(at === -1 ? pair : pair.slice(0, at));
      const value = at === -1 ? '' : decode(pair.slice(at + 1));
      if (value === '') continue;
      const values = this.#values.get(name);
      if (values) values.push(value);
      else this.#values.set(name, [value]);
    }
  }

  /** The first value. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw badRequest(name, 'is missing');
    return value;
  }

  /** The distinct values of `name[]`. */
  all(name: string): readonly string[] {
    return [...new Set([...(this.#values.get(`${name}[]`) ?? []), ...(this.#values.get(name) ?? [])])];
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    // Fifteen digits always fit into a safe integer.
    if (!/^-?\d{1,15}$/.test(value)) throw badRequest(name, 'should be a whole number');
    return Number(value);
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
    throw badRequest(name, 'should be true or false');
  }

  word<const Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name);
    const word = words.find((one) => one === value);
    if (value !== undefined && word === undefined) throw badRequest(name, `should be one of ${words.join(', ')}`);
    return word;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('query', 'is not properly percent-encoded');
  }
}
