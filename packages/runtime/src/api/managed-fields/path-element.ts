/**
 * One step of a field path, in the form of FieldsV1: `f:<name>` is a field, `k:<JSON object>` an item of a list with
 * keys, `v:<JSON value>` a member of a set, `i:<number>` an item by its position. The text is canonical, so that equal
 * steps are equal strings.
 */
import { isPlainObject, type JsonValue, setOwn } from '../json.ts';

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The elements of items by the value of one field. */
export function keyElements(field: string): (value: JsonValue) => string {
  const prefix = `k:{${JSON.stringify(field)}:`;
  return (value) => `${prefix}${canonicalJson(value)}}`;
}

export function valueElement(value: JsonValue): string {
  return `v:${canonicalJson(value)}`;
}

/** The canonical form of a step from any source. Returns undefined if it is not a step. */
export function parseElement(text: string): string | undefined {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'i:':
      return /^\d+$/.test(content) ? text : undefined;
    case 'v:': {
      const value = parseJson(content);
      return value === undefined ? undefined : valueElement(value);
    }
    case 'k:': {
      if (canonicalKey.test(text)) return text;
      const keys = parseJson(content);
      return isPlainObject(keys) ? `k:${canonicalJson(keys)}` : undefined;
    }
    default:
      return undefined;
  }
}

/** One key that is plain text, as most lists have it: no other text has the same meaning. */
const canonicalKey = /^k:\{"\w+":"[\x20\x21\x23-\x5b\x5d-\x7e]*"\}$/;

/** The order of Kubernetes: fields, keys, members, positions, each by its content. */
export function sortedElements(elements: Iterable<string>): string[] {
  const texts = [...elements];
  if (texts.every(isField) || texts.every(isOrderedKey)) return texts.length > 1 ? texts.sort() : texts;
  // Content is read once for each element, not for each comparison.
  const contentOf = texts.every((text) => canonicalKey.test(text)) ? openKey : parsedContent;
  const contents = texts.map((text) => ({ text, rank: kinds.indexOf(text.slice(0, 2)), content: contentOf(text) }));
  contents.sort((left, right) => left.rank - right.rank || compareValues(left.content, right.content));
  return contents.map(({ text }) => text);
}

function isField(text: string): boolean {
  return text.charCodeAt(0) === 0x66;
}

/** Without characters that sort before the quote after the value, so that the order is that of the texts. */
function isOrderedKey(text: string): boolean {
  return /^k:\{"\w+":"[\x23-\x5b\x5d-\x7e]*"\}$/.test(text);
}

/** Without the quote and the brace after the value, canonical keys have the order of their texts: `a` is before `a!`. */
function openKey(text: string): string {
  return text.slice(0, -2);
}

function parsedContent(text: string): JsonValue | undefined {
  return text.startsWith('f:') ? text : parseJson(text.slice(2));
}

const kinds = ['f:', 'k:', 'v:', 'i:'];

/** A path as Kubernetes prints it in a conflict: `.spec.env[name="A"].value`. */
export function formatElements(elements: readonly string[]): string {
  return elements.map(formatElement).join('');
}

function formatElement(element: string): string {
  const content = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${content}`;
    case 'v:':
      return `[=${content}]`;
    case 'k:': {
      const keys = Object.entries(parseJson(content) ?? {});
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    default:
      return `[${content}]`;
  }
}

function compareValues(left: JsonValue | undefined, right: JsonValue | undefined): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (isPlainObject(left) && isPlainObject(right)) return compareKeys(Object.entries(left), Object.entries(right));
  const rank = typeRank(left) - typeRank(right);
  return rank === 0 ? compareText(JSON.stringify(left ?? null), JSON.stringify(right ?? null)) : rank;
}

type KeyFields = readonly (readonly [string, JsonValue])[];

function compareKeys(left: KeyFields, right: KeyFields): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function typeRank(value: JsonValue | undefined): number {
  return ['number', 'string', 'boolean'].indexOf(typeof value) + 1 || 4;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  return JSON.stringify(value, (_, part: JsonValue) => {
    if (!isPlainObject(part)) return part;
    const sorted: Record<string, JsonValue> = {};
    for (const key of Object.keys(part).sort()) {
      const field = part[key];
      if (field !== undefined) setOwn(sorted, key, field);
    }
    return sorted;
  });
}
