/** Parses JSONPath templates. All errors are found here, not when printing. */
import { Scanner, unescaped } from './jsonpath-scanner.ts';
import {
  type JsonPath,
  type Operand,
  operators,
  type Part,
  type Path,
  PathError,
  pathCharactersMax,
  type Step,
} from './jsonpath-syntax.ts';

/** A template: text with paths in braces. A single path, `.metadata.name`, needs no braces. */
export function parseJsonPath(text: string): JsonPath {
  if (/^[.$@]/u.test(text) && !text.includes('{')) return parsePath(text);
  const scanner = scannerOf(text);
  return { text, parts: partsOf(scanner, undefined) };
}

/** One path, for --sort-by and custom columns: braces and the leading dot are optional. */
export function parsePath(text: string): JsonPath {
  const scanner = scannerOf(text);
  scanner.blanks();
  const isInBraces = scanner.take('{');
  if (isInBraces) scanner.blanks();
  const start = scanner.at;
  const name = scanner.name();
  const path = pathOf(scanner, name === '' ? [] : [{ kind: 'field', name }]);
  if (scanner.at === start) throw scanner.fail(`expected a path such as .metadata.name, but ${scanner.found()}`);
  scanner.blanks();
  if (isInBraces) scanner.expect('}');
  scanner.blanks();
  if (!scanner.isAtEnd) throw scanner.fail(`expected the end of the path, but ${scanner.found()}`);
  return { text, parts: [{ kind: 'path', path }] };
}

function scannerOf(text: string): Scanner {
  if (text.trim() === '') throw PathError.at(text, 0, 'it is empty');
  if (text.length > pathCharactersMax) {
    throw PathError.at(text, pathCharactersMax, `it has more than ${pathCharactersMax} characters`);
  }
  return new Scanner(text);
}

/** Up to the end, or up to the `{end}` of the range that starts at `rangeAt`. */
function partsOf(scanner: Scanner, rangeAt: number | undefined): Part[] {
  const parts: Part[] = [];
  while (!scanner.isAtEnd) {
    const text = scanner.textUntil('{');
    if (text !== '') parts.push({ kind: 'text', text });
    if (scanner.isAtEnd) break;
    const at = scanner.at;
    scanner.take('{');
    scanner.blanks();
    if (scanner.takeWord('end')) {
      close(scanner);
      if (rangeAt === undefined) throw scanner.fail('{end} without {range}', at);
      return parts;
    }
    if (scanner.takeWord('range')) {
      scanner.blanks();
      const path = pathOf(scanner);
      close(scanner);
      parts.push({ kind: 'range', path, parts: partsOf(scanner, at) });
    } else {
      parts.push(actionOf(scanner));
      close(scanner);
    }
  }
  if (rangeAt !== undefined) throw scanner.fail('{range} without {end}', rangeAt);
  return parts;
}

function actionOf(scanner: Scanner): Part {
  const text = scanner.quoted();
  if (text !== undefined) return { kind: 'text', text: unescaped(text) };
  const start = scanner.at;
  const path = pathOf(scanner);
  if (scanner.at > start) return { kind: 'path', path };
  const name = scanner.name();
  if (name !== '') throw scanner.fail(`a path starts with a dot: {.${name}}`, start);
  throw scanner.fail(`expected a path such as .metadata.name, but ${scanner.found()}`);
}

function close(scanner: Scanner): void {
  scanner.blanks();
  scanner.expect('}');
}

function pathOf(scanner: Scanner, before: readonly Step[] = []): Path {
  const fromRoot = before.length === 0 && scanner.take('$');
  if (!fromRoot && before.length === 0) scanner.take('@');
  const steps: Step[] = [...before];
  for (;;) {
    if (scanner.take('..')) {
      steps.push({ kind: 'deep' });
      if (!scanner.isAt('[')) steps.push(memberOf(scanner));
    } else if (scanner.take('.')) {
      // `.` is the value itself, and `.[0]` is the same as `[0]`.
      if (!/^(?:$|[\s})[\]=!<>,])/u.test(scanner.text.slice(scanner.at, scanner.at + 1))) steps.push(memberOf(scanner));
    } else if (scanner.take('[')) steps.push(bracketOf(scanner));
    else return { fromRoot, steps };
  }
}

function memberOf(scanner: Scanner): Step {
  if (scanner.take('*')) return { kind: 'each' };
  const name = scanner.name();
  if (name === '') throw scanner.fail(`expected a name or *, but ${scanner.found()}`);
  return { kind: 'field', name };
}

/** The content of `[` and `]`. */
function bracketOf(scanner: Scanner): Step {
  const steps: Step[] = [];
  do {
    scanner.blanks();
    steps.push(choiceOf(scanner));
    scanner.blanks();
  } while (scanner.take(','));
  scanner.expect(']');
  const [first] = steps;
  return first !== undefined && steps.length === 1 ? first : { kind: 'union', steps };
}

function choiceOf(scanner: Scanner): Step {
  if (scanner.take('*')) return { kind: 'each' };
  if (scanner.take('?(')) return filterOf(scanner);
  const key = scanner.quoted();
  if (key !== undefined) return keyOf(key);
  const from = scanner.integer();
  if (!scanner.take(':')) {
    if (from !== undefined) return { kind: 'index', index: from };
    throw scanner.fail(`expected a number, a name in quotes, * or ?(...), but ${scanner.found()}`);
  }
  const to = scanner.integer();
  const everyAt = scanner.at + 1;
  const every = scanner.take(':') ? (scanner.integer() ?? 1) : 1;
  if (every < 1) throw scanner.fail('the step must be 1 or more', everyAt);
  return { kind: 'slice', from, to, every };
}

function keyOf(key: string): Step {
  const inner = key.split(/(?<!\\)\./u).map(unescaped);
  return { kind: 'field', name: unescaped(key), ...(inner.length > 1 ? { inner } : {}) };
}

function filterOf(scanner: Scanner): Step {
  const left = operandOf(scanner);
  scanner.blanks();
  const operator = operators.find((one) => scanner.take(one));
  if (operator === undefined) {
    if (!scanner.isAt(')')) throw scanner.fail(`expected ")" or one of ${operators.join(' ')}, but ${scanner.found()}`);
    scanner.take(')');
    return { kind: 'filter', left };
  }
  const right = operandOf(scanner);
  scanner.blanks();
  scanner.expect(')');
  return { kind: 'filter', left, test: { operator, right } };
}

const literals = { true: true, false: false, null: null } as const;

function operandOf(scanner: Scanner): Operand {
  scanner.blanks();
  const text = scanner.quoted();
  if (text !== undefined) return { kind: 'value', value: unescaped(text) };
  const start = scanner.at;
  const path = pathOf(scanner);
  if (scanner.at > start) return { kind: 'path', path };
  const number = scanner.number();
  if (number !== undefined) return { kind: 'value', value: number };
  for (const [word, value] of Object.entries(literals)) {
    if (scanner.takeWord(word)) return { kind: 'value', value };
  }
  const name = scanner.name();
  if (name !== '') throw scanner.fail(`text must be quoted: "${name}"`, start);
  throw scanner.fail(`expected a path such as @.type, or a value, but ${scanner.found()}`);
}
