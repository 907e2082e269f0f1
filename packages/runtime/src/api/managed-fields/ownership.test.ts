/**
 * Goal: ownership after any sequence of writes by several managers.
 * Method: random applies, forced applies and updates of one object, beside a model that knows nothing of schemas and
 * sets: a flat map from the text of a path to its value and its owners.
 */
import { repetitions } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isApiError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { decodeEntries } from './entries.ts';
import { pathsOf } from './field-set.ts';
import { example, Managed } from './managed.kit.ts';
import { formatElements } from './path-element.ts';

interface Spec {
  readonly replicas?: number;
  readonly command?: readonly number[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly nodePool?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: number; readonly secret?: number }[];
}

type Leaves = Map<string, string>;

/** The paths of a spec with their values, written down by hand for each field. */
function leavesOf({ replicas, command, limits = {}, nodePool = [], env = [] }: Spec): Leaves {
  const leaves: Leaves = new Map();
  if (replicas !== undefined) leaves.set('.spec.replicas', String(replicas));
  if (command !== undefined) leaves.set('.spec.command', String(command));
  for (const [name, value] of Object.entries(limits)) leaves.set(`.spec.limits.${name}`, String(value));
  for (const member of nodePool) leaves.set(`.spec.nodePool[="${member}"]`, '');
  for (const { name, value, secret } of env) {
    const item = `.spec.env[name="${name}"]`;
    leaves.set(item, '');
    leaves.set(`${item}.name`, name);
    if (value !== undefined) leaves.set(`${item}.value`, String(value));
    if (secret !== undefined) leaves.set(`${item}.secret`, String(secret));
  }
  return leaves;
}

class Model {
  readonly values: Leaves = new Map();
  readonly owners = new Map<string, Set<string>>();

  apply(manager: string, wanted: Leaves, force: boolean): readonly string[] {
    const self = `${manager} Apply`;
    const conflicts: string[] = [];
    for (const [path, value] of wanted) {
      if (!this.values.has(path) || this.values.get(path) === value) continue;
      for (const owner of this.owners.get(path) ?? []) if (owner !== self) conflicts.push(`${owner} ${path}`);
    }
    if (conflicts.length > 0 && !force) return conflicts;
    const previous = [...this.owners].filter(([, owners]) => owners.has(self)).map(([path]) => path);
    for (const [path, value] of wanted) {
      const owners = this.values.get(path) === value ? (this.owners.get(path) ?? []) : [];
      this.values.set(path, value);
      this.owners.set(path, new Set([...owners, self]));
    }
    for (const path of previous) {
      if (wanted.has(path)) continue;
      this.owners.get(path)?.delete(self);
      if (this.owners.get(path)?.size === 0) this.#remove(path);
    }
    return [];
  }

  update(manager: string, wanted: Leaves): void {
    for (const path of [...this.values.keys()]) if (!wanted.has(path)) this.#remove(path);
    for (const [path, value] of wanted) {
      if (this.values.get(path) === value) continue;
      this.values.set(path, value);
      this.owners.set(path, new Set([`${manager} Update`]));
    }
  }

  /** With everything below it: an entry of a list exists only as a whole. */
  #remove(path: string): void {
    for (const other of [...this.values.keys()]) {
      if (other !== path && !other.startsWith(`${path}.`)) continue;
      this.values.delete(other);
      this.owners.delete(other);
    }
  }
}

function ownersOf(web: Managed): Map<string, Set<string>> {
  const known = leavesOf(specOf(web));
  const owners = new Map<string, Set<string>>();
  for (const { manager, operation, fields } of decodeEntries(web.managedFields)) {
    for (const path of pathsOf(fields)) {
      const text = formatElements(path);
      // The model has no objects and lists as such, only what is in them.
      if (known.has(text)) owners.set(text, new Set([...(owners.get(text) ?? []), `${manager} ${operation}`]));
    }
  }
  return owners;
}

function specOf({ live }: Managed): Spec {
  return (live?.spec ?? {}) as Spec;
}

const numbers = fc.integer({ min: 1, max: 2 });
const optionalField = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const entry = fc.record(
  { name: fc.constantFrom('A', 'B', 'C'), value: numbers, secret: numbers },
  { requiredKeys: ['name'] },
);
const specs: fc.Arbitrary<JsonObject> = fc
  .record({
    replicas: optionalField(numbers),
    command: optionalField(fc.array(numbers, { minLength: 1, maxLength: 2 })),
    limits: optionalField(fc.dictionary(fc.constantFrom('cpu', 'disk'), numbers, { minKeys: 1 })),
    nodePool: optionalField(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })),
    env: optionalField(fc.uniqueArray(entry, { minLength: 1, selector: ({ name }) => name })),
  })
  .map((spec) => JSON.parse(JSON.stringify(spec)));
const writes = fc.array(
  fc.record({
    type: fc.constantFrom('apply', 'apply', 'force', 'update'),
    manager: fc.constantFrom('one', 'two', 'three'),
    spec: specs,
  }),
  { minLength: 1, maxLength: 12 },
);

describe('managers', () => {
  it('own the same fields of the same values as in a flat model, after any writes', () => {
    fc.assert(
      fc.property(writes, (history) => {
        const web = new Managed();
        const model = new Model();
        for (const { type, manager, spec } of history) {
          const wanted = leavesOf(spec as Spec);
          if (type === 'update') {
            model.update(manager, wanted);
            web.update(manager, example(spec));
          } else {
            const expected = model.apply(manager, wanted, type === 'force');
            expect(applied(web, manager, spec, type === 'force')).toEqual(new Set(expected));
          }
          expect(leavesOf(specOf(web))).toEqual(model.values);
          expect(ownersOf(web)).toEqual(model.owners);
        }
      }),
      { numRuns: repetitions({ test: 300, thorough: 1_000 }) },
    );
  });

  it('stay the same when a configuration is applied twice', () => {
    fc.assert(
      fc.property(writes, specs, (history, spec) => {
        const web = new Managed();
        for (const { manager, spec: other } of history) web.apply(manager, example(other), { force: true });
        web.apply('last', example(spec), { force: true });
        const { live, managedFields } = web;
        web.apply('last', example(spec));
        expect(web.live).toEqual(live);
        expect(web.managedFields).toBe(managedFields);
      }),
    );
  });
});

/** Applies, and returns the conflicts. */
function applied(web: Managed, manager: string, spec: JsonObject, force: boolean): Set<string> {
  const operations = new Map(web.managedFields.map((entry) => [`${entry.manager}`, entry.operation]));
  try {
    web.apply(manager, example(spec), { force });
    return new Set();
  } catch (error) {
    if (!isApiError(error, 'Conflict')) throw error;
    return new Set(
      error.details.causes?.map(({ manager: owner, field, message }) => {
        const operation = message.includes(' using ') ? 'Update' : 'Apply';
        expect(operations.has(owner)).toBe(true);
        return `${owner} ${operation} ${field}`;
      }),
    );
  }
}
