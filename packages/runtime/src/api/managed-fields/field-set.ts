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
  /**
   * The FieldsV1 of the node, if it is known: a write changes few nodes, and the others are written as they were read.
   * It is shared, so it is never changed.
   */
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
function below(prefix: readonly string[], set: FieldSet): FieldSet {
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
function nodeAt(set: FieldSet, prefix: readonly string[]): FieldSet {
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

/** Returns `left` itself if it has every path of `right`. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  let children: Map<string, FieldSet> | undefined;
  for (const [element, child] of right.children) {
    const before = left.children.get(element);
    const after = before ? union(before, child) : child;
    if (after === before) continue;
    children ??= new Map(left.children);
    children.set(element, after);
  }
  const self = left.self || right.self;
  return children || self !== left.self ? { self, children: children ?? left.children } : left;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const children: [string, FieldSet][] = [];
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other !== undefined) children.push([element, intersection(child, other)]);
  }
  return nodeOf(left.self && right.self, children);
}

/**
 * The paths of `left` that are not in `right`. Paths below a path of `right` are kept. Returns `left` itself if it has no
 * path of `right`.
 */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const [element, excluded] of right.children) {
    const before = left.children.get(element);
    const after = before && difference(before, excluded);
    if (after === undefined || after === before) continue;
    children ??= new Map(left.children);
    if (isEmpty(after)) children.delete(element);
    else children.set(element, after);
  }
  const self = left.self && !right.self;
  if (!children && self === left.self) return left;
  const rest = children ?? left.children;
  if (rest.size === 0) return self ? leafSet : emptySet;
  return { self, children: rest };
}

/** Every path of the set, in the order of Kubernetes. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  if (set.self) yield prefix;
  for (const [element, child] of sorted(set.children)) yield* pathsOf(child, [...prefix, element]);
}

export function toFieldsV1(set: FieldSet): JsonObject {
  if (set.source) return set.source;
  const json: Record<string, JsonObject> = {};
  if (set.self && set.children.size > 0) json['.'] = {};
  for (const element of sortedElements(set.children.keys())) {
    const child = set.children.get(element);
    json[element] = child === undefined || child === leafSet ? {} : toFieldsV1(child);
  }
  return json;
}

/** The set with its FieldsV1, for one that is written often. */
export function withSource(set: FieldSet): FieldSet {
  return { ...set, source: toFieldsV1(set) };
}

/** Returns undefined if the value is not FieldsV1. */
export function fromFieldsV1(value: unknown): FieldSet | undefined {
  const set = readNode(value);
  // At the top, `{}` is the empty set: no path leads to the object itself.
  return set?.self ? nodeOf(false, set.children) : set;
}

/** The last node without paths below its children. The items of a list usually have the same fields. */
let lastFlat: { readonly keys: readonly string[]; readonly set: FieldSet } | undefined;

function readNode(value: unknown): FieldSet | undefined {
  if (!isPlainObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return leafSet;
  if (lastFlat && isFlat(value, keys, lastFlat.keys)) return lastFlat.set;
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
  if (!isCanonical || !isFieldsV1(value)) return { self, children };
  const set = { self, children, source: value };
  if (isFlat(value, keys, keys)) lastFlat = { keys, set };
  return set;
}

/** Whether these keys are the expected ones, and nothing is below them. */
function isFlat(value: object, keys: readonly string[], expected: readonly string[]): value is JsonObject {
  if (keys.length !== expected.length || !isFieldsV1(value)) return false;
  for (const [index, key] of keys.entries()) {
    if (key !== expected[index] || !isEmptyObject(value[key])) return false;
  }
  return true;
}

function isEmptyObject(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** Called only for values that have been read. */
function isFieldsV1(value: object): value is JsonObject {
  return isPlainObject(value);
}

function sorted(children: Children): (readonly [string, FieldSet])[] {
  return sortedElements(children.keys()).map((element) => [element, children.get(element) ?? emptySet]);
}
