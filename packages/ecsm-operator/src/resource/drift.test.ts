/** Every field that is sent is compared: a change or removal of one on the platform is detected. */
import type { ServiceBody } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { wholeServices } from '../apis/service.kit.ts';
import { differences } from './differences.ts';
import { platformOf, rendered } from './platform.kit.ts';

/** Words of which the platform takes only some, and what exists there. */
const others: Readonly<Record<string, unknown>> = {
  'image.ref': 'worker@1.0.0#sylixos',
  'image.action': 'load',
  'image.pullPolicy': 'Never',
  'image.autoUpgrade': 'Always',
  'node.names': ['node-5'],
  policy: 'other',
};

type Path = readonly (string | number)[];
interface Change {
  readonly path: string;
  readonly does: string;
  readonly body: ServiceBody;
}

/** Fields that the platform cannot be without. */
const needed = new Set([
  'name',
  'image.ref',
  'image.action',
  'node.names',
  'policy',
  'factor',
  'image.pullPolicy',
  'image.autoUpgrade',
]);

function* leaves(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) yield { path, value };
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value))
      yield* leaves(field, [...path, Array.isArray(value) ? Number(name) : name]);
  } else yield { path, value };
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return typeof value[0] === 'number' ? [...value, 7] : [...value, 'x=y'];
  return `${value}x`;
}

function changed(
  body: ServiceBody,
  path: Path,
  change: (parent: Record<string | number, unknown>, name: string | number) => void,
) {
  const copy = structuredClone(body);
  let parent: Record<string | number, unknown> = copy;
  for (const name of path.slice(0, -1)) parent = Object(parent[name]);
  change(parent, path.at(-1) ?? expect.fail());
  return copy;
}

function changesOf(body: ServiceBody): Change[] {
  return [...leaves(body)].flatMap(({ path, value }) => {
    const name = path.join('.');
    if (name === 'name') return [];
    const made: Change[] = [];
    const add = (does: string, change: Parameters<typeof changed>[2]) =>
      made.push({ path: name, does, body: changed(body, path, change) });
    const fitting = name === 'image.ref' && body.name === 'gateway' ? 'nginx@1.0.0#linux' : others[name];
    if (name === 'policy')
      add('changed', (parent, key) => {
        parent[key] = value === 'static' ? 'dynamic' : 'static';
      });
    else if (name === 'node.names')
      add('changed', (parent, key) => {
        parent[key] = Array.isArray(value) ? value.slice(1) : value;
      });
    else
      add('changed', (parent, key) => {
        parent[key] = fitting ?? another(value);
      });
    if (!needed.has(name))
      add('taken away', (parent, key) => {
        delete parent[key];
      });
    if (Array.isArray(value) && value.length > 1)
      add('cut', (parent, key) => {
        parent[key] = value.slice(1);
      });
    return made;
  });
}

describe.each(Object.keys(wholeServices))('on %s', (system) => {
  const body = rendered(wholeServices[system] ?? expect.fail());
  const changes = changesOf(body);

  it('there are many fields to change', () => {
    expect(changes.length).toBeGreaterThan(system === 'Linux' ? 25 : 60);
  });

  it.each(changes)('$path $does is detected, and corrected by one update', async ({ path, body: other }) => {
    const { manager } = platformOf();
    const { id } = await manager.create(body);
    await manager.update(id, other);
    const [found] = await manager.find(body.name);
    if (found === undefined) return expect.fail();
    const seen = differences(body, found.detail);
    expect(seen.length).toBeGreaterThan(0);
    // Items of lists are named by their identifying field, or not at all.
    const [place = ''] = path.split(/\.\d/);
    for (const one of seen) expect(one.path.startsWith(place)).toBe(true);
    await manager.update(found.id, body);
    const [healed] = await manager.find(body.name);
    expect(healed === undefined ? ['gone'] : differences(body, healed.detail)).toEqual([]);
  });
});
