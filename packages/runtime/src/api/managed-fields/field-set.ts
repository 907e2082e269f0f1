/**
 * An immutable set of field paths, as a tree whose edges are path elements. `self` states whether the path of a node is
 * in the set. No tree contains an empty node, so two sets are equal if their trees are.
 *
 * FieldsV1 is the same tree as JSON: `{}` is a path of the set without paths below it; a node with paths below it has
 * the key `.` if its own path is in the set too.
 */
import { isPlainObject, type JsonObject } from '../json.ts';
import { parseElement, sortedElements } from './path-element.ts';

export interface FieldSet {
  readonly self: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
  /** The FieldsV1 that the node was read from. A write changes few nodes, and the others are written as they were read. */
  readonly source?: JsonObject;
}

type Children = ReadonlyMap<string, FieldSet>;

const noChildren: Children = new Map();

export const emptySet: FieldSet = { self: false, children: noChildren };
/** The set of only the path of the node itself. */
export const leafSet: FieldSet = { self: true, children: noChildren };

/** The set with exactly these paths. */
export function fieldSet(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => union(set, below(path, leafSet)), emptySet);
}

/** The set with every path of `set` after a prefix. */
export function below(prefix: readonly string[], set: FieldSet): FieldSet {
  return prefix.reduceRight((inner, element) => nodeOf(false, [[element, inner]]), set);
}

/** A node; empty children are omitted. */
export function nodeOf(self: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  const present = new Map<string, FieldSet>();
  for (const [element, child] of children) {
    if (!isEmpty(child)) present.set(element, child);
  }
  if (present.size === 0) return self ? leafSet : emptySet;
  return { self, children: present };
}

/** The set with the path of its own node. */
export function withSelf(set: FieldSet): FieldSet {
  return set.self ? set : nodeOf(true, set.children);
}

export function isEmpty({ self, children }: FieldSet): boolean {
  return !self && children.size === 0;
}

export function has(set: FieldSet, path: readonly string[]): boolean {
  return nodeAt(set, path).self;
}

/** The paths below a prefix, without the prefix. */
export function nodeAt(set: FieldSet, prefix: readonly string[]): FieldSet {
  return prefix.reduce((node, element) => node.children.get(element) ?? emptySet, set);
}

export function isEqual(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.self !== right.self || left.children.size !== right.children.size) return false;
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other === undefined || !isEqual(child, other)) return false;
  }
  return true;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    children.set(element, union(children.get(element) ?? emptySet, child));
  }
  return nodeOf(left.self || right.self, children);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const children: [string, FieldSet][] = [];
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other !== undefined) children.push([element, intersection(child, other)]);
  }
  return nodeOf(left.self && right.self, children);
}

/** The paths of `left` that are not in `right`. Paths below a path of `right` are kept. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(right)) return left;
  const children: [string, FieldSet][] = [];
  for (const [element, child] of left.children) {
    children.push([element, difference(child, right.children.get(element) ?? emptySet)]);
  }
  return nodeOf(left.self && !right.self, children);
}

/** Every path of the set, in the order of Kubernetes. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  if (set.self) yield prefix;
  for (const [element, child] of sorted(set.children)) yield* pathsOf(child, [...prefix, element]);
}

export function toFieldsV1(set: FieldSet): JsonObject {
  const json: Record<string, JsonObject> = {};
  if (set.self && set.children.size > 0) json['.'] = {};
  for (const [element, child] of sorted(set.children)) json[element] = child.source ?? toFieldsV1(child);
  return json;
}

/** Returns undefined if the value is not FieldsV1. */
export function fromFieldsV1(value: unknown): FieldSet | undefined {
  const set = readNode(value);
  // At the top, `{}` is the empty set: no path leads to the object itself.
  return set && nodeOf(false, set.children);
}

function readNode(value: unknown): FieldSet | undefined {
  if (!isPlainObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return leafSet;
  const children = new Map<string, FieldSet>();
  let self = false;
  let isCanonical = true;
  for (const key of keys) {
    if (key === '.') {
      self = true;
      continue;
    }
    const element = parseElement(key);
    const child = readNode(value[key]);
    if (element === undefined || child === undefined) return undefined;
    if (element !== key || (child !== leafSet && child.source === undefined)) isCanonical = false;
    children.set(element, child);
  }
  if (children.size === 0) return leafSet;
  return isCanonical && isFieldsV1(value) ? { self, children, source: value } : { self, children };
}

/** Called only for values that have been read. */
function isFieldsV1(value: object): value is JsonObject {
  return isPlainObject(value);
}

function sorted(children: Children): (readonly [string, FieldSet])[] {
  return sortedElements(children.keys()).map((element) => [element, children.get(element) ?? emptySet]);
}
