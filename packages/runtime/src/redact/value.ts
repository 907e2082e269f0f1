/**
 * Redacts values for output: copies without secrets in fields, environment variables, program arguments, texts, and
 * JSON within strings. All output to users and logs passes through here.
 */
import { hidden, isPlain } from './mark.ts';
import { isSecretFlag, isSecretName, isWorkingDirectory } from './names.ts';
import { redactText } from './text.ts';

/** Deeper values are shown as `…`. It bounds the recursion. */
const depthMax = 128;

/** The part of a schema that marks secrets. They are hidden with any name. */
export interface SecretMarks {
  readonly secret?: true;
  readonly properties?: Readonly<Record<string, SecretMarks>>;
  readonly items?: SecretMarks;
  readonly values?: SecretMarks;
  readonly like?: SecretMarks;
}

/**
 * A deep copy without secrets. Empty values, booleans and words such as `true` are kept: they hold no secret. Fields
 * that the schema marks are hidden as well.
 */
export function redact(value: unknown, schema?: SecretMarks): unknown {
  return new Redaction(schema).copy(value, schema, 0);
}

/** Returns the value as text, or `<hidden>` if the name is that of a secret. */
export function redactNamed(name: string, value: string): string {
  return isSecretValue(name, value) && !isPlain(value) ? hidden : redactText(value);
}

/** An environment variable, `DB_PASSWORD=…`, or a header, `X-Api-Key: …`: all that follows is the value. */
const namedValue = /^([A-Za-z_][\w.-]*=|[A-Za-z][\w-]*: ?(?=[^\n]*$))(?=\S)/;
/** A program's argument whose value is the next one: `--password`. */
const flag = /^--?[A-Za-z][\w.-]*$/;

class Redaction {
  readonly #schema: SecretMarks | undefined;
  /** The ancestors of the current value: only one of these again is a cycle. */
  readonly #open = new Set<object>();

  constructor(schema: SecretMarks | undefined) {
    this.#schema = schema;
  }

  copy(value: unknown, schema: SecretMarks | undefined, depth: number): unknown {
    if (schema?.like) return this.copy(value, schema.like, depth);
    // A marked value is hidden whatever it is: `true` and an empty value may be the answer to a question, too.
    if (schema?.secret) return value === undefined || value === null ? value : hidden;
    if (typeof value === 'string') return this.#text(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#open.has(value)) return '[circular]';
    if (depth >= depthMax) return '…';
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
    this.#open.add(value);
    try {
      return Array.isArray(value) ? this.#list(value, schema, depth) : this.#object(value, schema, depth);
    } finally {
      this.#open.delete(value);
    }
  }

  #list(items: readonly unknown[], schema: SecretMarks | undefined, depth: number): unknown[] {
    return items.map((item, index) => {
      const before = items[index - 1];
      const isSecret = typeof before === 'string' && flag.test(before) && isSecretFlag(before);
      return isSecret ? hide(item) : this.copy(item, schema?.items, depth + 1);
    });
  }

  #object(object: object, schema: SecretMarks | undefined, depth: number): object {
    const entries = Object.entries(object);
    // `{name: 'DB_PASSWORD', value: …}`, and the configuration centre's `{key: '/db/password', value: …}`.
    const label = entries.find(([key, field]) => /^(?:name|key)$/i.test(key) && typeof field === 'string')?.[1];
    // A key may be `__proto__`: fromEntries creates an own field, where an assignment would not.
    return Object.fromEntries(
      entries.map(([key, field]) => {
        const isSecret =
          isSecretValue(key, field) ||
          (/^value$/i.test(key) && typeof label === 'string' && isSecretValue(label, field));
        const marks = ownMarks(schema?.properties, key) ?? schema?.values;
        return [key, isSecret ? hide(field) : this.copy(field, marks, depth + 1)];
      }),
    );
  }

  #text(text: string, depth: number): string {
    const name = namedValue.exec(text)?.[1];
    if (name !== undefined) {
      const value = text.slice(name.length);
      // A message about a field, `password: must be a string`, is kept.
      if (isSecretValue(name.replace(/[=:] ?$/, ''), value) && redactText(text) !== text) return `${name}${hidden}`;
    }
    return this.#json(text, depth) ?? redactText(text);
  }

  /** A string with an object or a list as JSON, such as the last-applied annotation. */
  #json(text: string, depth: number): string | undefined {
    if (!/^\s*[{[]/.test(text)) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      const shown = JSON.stringify(this.copy(value, this.#schema, depth + 1));
      // The text keeps its formatting if nothing is hidden in it.
      return shown === JSON.stringify(value) ? text : shown;
    } catch {
      return undefined;
    }
  }
}

function isSecretValue(name: string, value: unknown): boolean {
  return isSecretName(name) && !(typeof value === 'string' && isWorkingDirectory(name, value));
}

function ownMarks(properties: SecretMarks['properties'], key: string): SecretMarks | undefined {
  return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function hide(value: unknown): unknown {
  return isPlain(value) ? value : hidden;
}
