/** Converts log fields to plain data of bounded size, without secrets. Never throws. */
import type { LogFields } from '../ports/log.ts';
import { redact } from '../redact/value.ts';

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

/** Maximum nesting; deeper values are written as `…`. */
export const FIELD_DEPTH_MAX = 6;
/** Maximum number of items of a list or fields of an object. */
export const FIELD_ITEMS_MAX = 100;
export const FIELD_CHARACTERS_MAX = 8 * 1024;

export function plainFields(fields: LogFields, stacks: boolean): [name: string, value: PlainValue][] {
  const plain = Object.fromEntries(new FieldConverter(stacks).entries(fields, 0));
  // Redaction keeps the shape.
  return Object.entries(redact(plain) as Readonly<Record<string, PlainValue>>);
}

class FieldConverter {
  readonly #stacks: boolean;
  /** The ancestors of the current value, to detect cycles. */
  readonly #ancestors = new Set<object>();

  constructor(stacks: boolean) {
    this.#stacks = stacks;
  }

  entries(object: object, depth: number): [string, PlainValue][] {
    const entries: [string, PlainValue][] = [];
    for (const name of Object.keys(object)) {
      if (entries.length === FIELD_ITEMS_MAX) break;
      const value = read(object, name);
      if (value === undefined) continue;
      entries.push([name, this.plain(value, depth)]);
    }
    return entries;
  }

  plain(value: unknown, depth: number): PlainValue {
    if (typeof value === 'string') return shortened(value);
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value !== 'object') return shortened(String(value));
    if (this.#ancestors.has(value)) return '[circular]';
    if (depth === FIELD_DEPTH_MAX) return '…';
    this.#ancestors.add(value);
    try {
      return this.#object(value, depth);
    } catch {
      return '[unreadable]';
    } finally {
      this.#ancestors.delete(value);
    }
  }

  #object(value: object, depth: number): PlainValue {
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Map) return this.#object(Object.fromEntries(value), depth);
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, FIELD_ITEMS_MAX).map((item) => this.plain(item, depth + 1));
    }
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
    // For example dates and URLs.
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.plain(value.toJSON(), depth + 1);
    return Object.fromEntries(this.entries(value, depth + 1));
  }

  /** The stack is written at level `debug` only. */
  #error(error: Error, depth: number): PlainValue {
    const code = read(error, 'code');
    return {
      message: shortened(error.message),
      ...(typeof code === 'string' ? { code } : {}),
      ...(error.cause === undefined ? {} : { cause: this.plain(error.cause, depth + 1) }),
      ...(this.#stacks && error.stack !== undefined ? { stack: shortened(error.stack) } : {}),
    };
  }
}

function read(object: object, name: string): unknown {
  try {
    return Reflect.get(object, name);
  } catch {
    return '[unreadable]';
  }
}

function shortened(text: string): string {
  return text.length <= FIELD_CHARACTERS_MAX ? text : `${text.slice(0, FIELD_CHARACTERS_MAX)}…`;
}
