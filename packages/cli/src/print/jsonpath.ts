/**
 * JSONPath templates as in kubectl: `{.items[*].metadata.name}`, `{range .items[*]}{.kind}{"\n"}{end}`. A missing field or
 * an index out of bounds yields no value, never an error.
 */
import type { JsonPath, Operand, Operator, Part, Path, Step } from './jsonpath-syntax.ts';

export { parseJsonPath, parsePath } from './jsonpath-parse.ts';
export { type JsonPath, PathError } from './jsonpath-syntax.ts';

/** The text, without a trailing newline. Several values of one path are separated by a blank; objects are JSON. */
export function printJsonPath({ parts }: JsonPath, value: unknown): string {
  return printed(parts, value, value);
}

/** All values of the paths of a template, in order, without its texts. */
export function findJsonPath({ parts }: JsonPath, value: unknown): unknown[] {
  return found(parts, value, value);
}

/** A value as text: strings unchanged, objects and lists as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function printed(parts: readonly Part[], root: unknown, here: unknown): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const values = walk(part.path, root, here);
      if (part.kind === 'path') return values.map(textOf).join(' ');
      return values.map((value) => printed(part.parts, root, value)).join('');
    })
    .join('');
}

function found(parts: readonly Part[], root: unknown, here: unknown): unknown[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [];
    const values = walk(part.path, root, here);
    return part.kind === 'path' ? values : values.flatMap((value) => found(part.parts, root, value));
  });
}

function walk({ fromRoot, steps }: Path, root: unknown, here: unknown): unknown[] {
  let values: unknown[] = [fromRoot ? root : here].filter((value) => value !== undefined);
  for (const step of steps) values = values.flatMap((value) => stepInto(step, root, value));
  return values;
}

function stepInto(step: Step, root: unknown, value: unknown): unknown[] {
  switch (step.kind) {
    case 'field':
      return fieldOf(value, step.name, step.inner);
    case 'index':
      return Array.isArray(value) ? value.slice(step.index, step.index === -1 ? undefined : step.index + 1) : [];
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to).filter((_, index) => index % step.every === 0) : [];
    case 'each':
      return childrenOf(value);
    case 'deep':
      return [value, ...descendants(value)];
    case 'union':
      return step.steps.flatMap((one) => stepInto(one, root, value));
    case 'filter': {
      const { left, test } = step;
      return childrenOf(value).filter((item) => {
        const [first] = operandOf(left, root, item);
        if (test === undefined || first === undefined) return first !== undefined;
        const [second] = operandOf(test.right, root, item);
        return second !== undefined && holds(first, test.operator, second);
      });
    }
  }
}

function fieldOf(value: unknown, name: string, inner: readonly string[] | undefined): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  // Only own properties: `toString` is not a field.
  if (Object.hasOwn(value, name)) return [Reflect.get(value, name)].filter((field) => field !== undefined);
  if (inner === undefined) return [];
  let values: unknown[] = [value];
  for (const one of inner) values = values.flatMap((parent) => fieldOf(parent, one, undefined));
  return values;
}

function childrenOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((child) => child !== undefined);
}

function descendants(value: unknown): unknown[] {
  return childrenOf(value).flatMap((child) =>
    typeof child === 'object' && child !== null ? [child, ...descendants(child)] : [],
  );
}

function operandOf(operand: Operand, root: unknown, item: unknown): unknown[] {
  return operand.kind === 'value' ? [operand.value] : walk(operand.path, root, item);
}

/** Values of different types are never equal and have no order. */
function holds(left: unknown, operator: Operator, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const order = orderOf(left, right);
  if (order === undefined) return false;
  if (operator === '<') return order < 0;
  if (operator === '>') return order > 0;
  return operator === '<=' ? order <= 0 : order >= 0;
}

function orderOf(left: unknown, right: unknown): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  return left < right ? -1 : Number(left > right);
}
