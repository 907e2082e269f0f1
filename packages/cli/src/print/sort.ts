/** `--sort-by`: numbers and quantities as numbers, times as times, other text in natural order. */
import { Failure } from '@ecsm/command-line';
import { timeMsOf } from '@ecsm/runtime';
import { findJsonPath, type JsonPath, textOf } from './jsonpath.ts';

const quantity = /^([+-]?\d+(?:\.\d+)?)(m|k|Ki|[MGTPE]i?)?$/u;
const thousands = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Sort key. Types have different ranks, so that the order is total. */
type Key =
  | { readonly rank: 0 | 1 | 2; readonly number: number }
  | { readonly rank: 3; readonly text: string }
  | { readonly rank: 4 };

/**
 * Returns a new list. Missing and null values are last; the sort is stable. Throws `Failure` if no value has the field: a
 * mistake in the path would otherwise look like a sorted list.
 */
export function sortBy<Value>(path: JsonPath, values: readonly Value[]): Value[] {
  if (values.length > 0 && values.every((value) => findJsonPath(path, value).length === 0)) {
    throw new Failure(`--sort-by: no object has a field at the path "${path.text}"`);
  }
  return values
    .map((value) => ({ value, key: keyOf(findJsonPath(path, value)[0]) }))
    .sort((left, right) => compare(left.key, right.key))
    .map(({ value }) => value);
}

function keyOf(value: unknown): Key {
  if (value === undefined || value === null) return { rank: 4 };
  if (typeof value === 'boolean') return { rank: 0, number: Number(value) };
  if (typeof value === 'number') return { rank: 1, number: value };
  const text = textOf(value);
  const number = quantityOf(text);
  if (number !== undefined) return { rank: 1, number };
  const timeMs = timeMsOf(text);
  return timeMs === undefined ? { rank: 3, text } : { rank: 2, number: timeMs };
}

function compare(left: Key, right: Key): number {
  if ('number' in left && 'number' in right && left.rank === right.rank) return left.number - right.number;
  if (left.rank === 3 && right.rank === 3) return compareTexts(left.text, right.text);
  return left.rank - right.rank;
}

/** `512Mi`, `100m`, `10`. */
function quantityOf(text: string): number | undefined {
  const [, digits, unit = ''] = quantity.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (unit === 'm') return Number(digits) / 1000;
  const isBinary = unit.endsWith('i');
  const power = unit === 'Ki' ? 1 : thousands.indexOf(unit.slice(0, 1));
  return Number(digits) * (isBinary ? 1024 : 1000) ** power;
}

/** `worker-9` is before `worker-10`, and `1.9.0` before `1.10.0`. */
function compareTexts(left: string, right: string): number {
  const [lefts, rights] = [left.split(/(\d+)/u), right.split(/(\d+)/u)];
  for (const [index, one] of lefts.entries()) {
    const other = rights[index];
    if (other === undefined) return 1;
    const order = index % 2 === 1 ? compareDigits(one, other) : compareStrings(one, other);
    if (order !== 0) return order;
  }
  return lefts.length === rights.length ? compareStrings(left, right) : -1;
}

/** As text without leading zeros, because long numbers exceed the precision of a double. */
function compareDigits(left: string, right: string): number {
  const [one, other] = [left.replace(/^0+/u, ''), right.replace(/^0+/u, '')];
  return one.length - other.length || compareStrings(one, other);
}

function compareStrings(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
