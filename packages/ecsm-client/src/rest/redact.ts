/**
 * Keeps secrets out of everything that people or logs may see. The platform returns node passwords in clear, and a
 * service's environment may hold any secret, so nothing that came from it is shown without passing through here.
 */
import { redactText, replacement, secretWords } from './redact-text.ts';

/** Deeper values show as `…`. It also bounds the recursion. */
const depthMax = 32;
/** Values in all; what comes after them shows as `…`. */
const valuesMax = 100_000;
/** A longer string is cut after this many characters. */
const stringCharactersMax = 65_536;
const cut = '…';

const secretName = new RegExp(secretWords, 'i');
/** An entry of an environment: `DB_PASSWORD=…`. */
const environmentEntry = /^([A-Za-z_][\w.-]*)=/;
/** A program's argument whose value is the next one: `--password`. */
const secretFlag = new RegExp(`^--?[\\w-]*(?:${secretWords})[\\w-]*$`, 'i');

/** Whether a field, variable or header of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** A deep copy, safe to show: what is named like a secret is replaced, also in JSON within strings. Never throws. */
export function redacted(value: unknown): unknown {
  return new Redaction().copy(value, 0);
}

class Redaction {
  #values = 0;
  /** What we are inside of; only meeting one of these again is a cycle. */
  readonly #open = new Set<object>();

  copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#string(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#open.has(value)) return '[circular]';
    if (depth >= depthMax || ++this.#values > valuesMax) return cut;
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
    this.#open.add(value);
    try {
      return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
    } finally {
      this.#open.delete(value);
    }
  }

  #list(items: readonly unknown[], depth: number): unknown[] {
    return items.map((item, index) => {
      const before = items[index - 1];
      if (typeof before === 'string' && secretFlag.test(before)) return replacement;
      return this.copy(item, depth + 1);
    });
  }

  #object(object: object, depth: number): object {
    const entries = Object.entries(object);
    // `{name: 'DB_PASSWORD', value: …}`, and the configuration centre's `{key: '/db/password', value: …}`.
    const hasSecretValue = entries.some(
      ([name, label]) => (name === 'name' || name === 'key') && typeof label === 'string' && isSecretName(label),
    );
    // A key may be `__proto__`: fromEntries makes it a field like any other, where an assignment would not.
    return Object.fromEntries(
      entries.map(([name, field]) => {
        const isSecret = isSecretName(name) || (hasSecretValue && name === 'value');
        return [name, isSecret ? replacement : this.copy(field, depth + 1)];
      }),
    );
  }

  #string(text: string, depth: number): string {
    const name = environmentEntry.exec(text)?.[1];
    if (name !== undefined && isSecretName(name)) return `${name}=${replacement}`;
    if (text.length > stringCharactersMax) return `${redactText(text.slice(0, stringCharactersMax))}${cut}`;
    return this.#json(text, depth) ?? redactText(text);
  }

  /** A string that holds an object or a list as JSON: the platform has such fields (`rawConfig`, `config`). */
  #json(text: string, depth: number): string | undefined {
    if (!/^\s*[{[]/.test(text)) return undefined;
    try {
      return JSON.stringify(this.copy(JSON.parse(text), depth + 1));
    } catch {
      return undefined;
    }
  }
}

/** What a message must not hold: line breaks, and characters that steer a terminal or turn the direction of writing. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** On one line, at most so many characters. */
export function bounded(text: string, charactersMax: number): string {
  // Cut first: the rest of a text of megabytes is not worth a look.
  const head = text.slice(0, charactersMax * 4);
  const line = head.replace(unprintable, ' ').trim();
  if (line.length <= charactersMax && head.length === text.length) return line;
  const short = line.slice(0, charactersMax - 1);
  // Half of a surrogate pair is no character.
  return `${/[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short}${cut}`;
}

/** A few words of a foreign text, in quotes, without secrets. */
export function excerpt(text: string, charactersMax = 120): string {
  return JSON.stringify(bounded(redactText(text.slice(0, charactersMax * 8)), charactersMax));
}
