import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { defineKind } from './kind.ts';
import { fromFieldsV1 } from './managed-fields/field-set.ts';
import { anything, integer, list, map, object, optional, string, withDefault } from './schema/build.ts';
import { keepSecrets, secretPaths, withoutSecrets } from './secrets.ts';

const code = () => optional(string({ secret: true }));
const env = list(object({ name: string(), value: withDefault(string({ secret: true }), '') }), { uniqueBy: 'name' });
const template = object({ image: string(), code: code(), env: optional(env) });
const Safe = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Safe',
  plural: 'safes',
  spec: object({
    size: optional(integer()),
    command: optional(list(string({ secret: true }), { secret: true })),
    template: optional(template),
    doors: optional(map(object({ colour: optional(string()), code: code() }))),
    history: optional(anything({ like: template })),
    rooms: optional(list(object({ colour: string(), code: code() }))),
  }),
});

const kubectl = 'kubectl.kubernetes.io/last-applied-configuration';
const safe = (spec: JsonValue, annotations: Record<string, string> = {}): JsonValue => ({
  metadata: { name: 'a', annotations },
  spec,
});
const full = {
  size: 3,
  command: ['run', '4711'],
  template: {
    image: 'i',
    code: '4711',
    env: [
      { name: 'A', value: '4711' },
      { name: 'B', value: '' },
    ],
  },
  doors: { front: { colour: 'red', code: '4711' } },
  history: { image: 'i', env: [{ name: 'A', value: '4711' }] },
  rooms: [{ colour: 'red', code: '4711' }],
};
const seen = {
  size: 3,
  template: { image: 'i', env: [{ name: 'A' }, { name: 'B' }] },
  doors: { front: { colour: 'red' } },
  history: { image: 'i', env: [{ name: 'A' }] },
  rooms: [{ colour: 'red' }],
};

describe('the secrets of a kind', () => {
  it('are the fields that its schema marks', () => {
    expect(secretPaths(Safe)).toEqual([
      'spec.command',
      'spec.template.code',
      'spec.template.env[].value',
      'spec.doors[].code',
      'spec.history.code',
      'spec.history.env[].value',
      'spec.rooms[].code',
    ]);
  });
});

describe('an object without its secrets', () => {
  it('has all other fields, and shares what has no secrets', () => {
    const object = safe(full);
    expect(withoutSecrets(Safe, object)).toEqual(safe(seen));
    expect(object).toEqual(safe(full));
    const plain = safe(seen);
    expect(withoutSecrets(Safe, plain)).toBe(plain);
  });

  it('has none in the configuration of a client-side apply, and not a text that is none', () => {
    const text = JSON.stringify({ spec: full });
    expect(withoutSecrets(Safe, safe(seen, { [kubectl]: text, other: 'x' }))).toEqual(
      safe(seen, { [kubectl]: `${JSON.stringify({ spec: seen })}\n`, other: 'x' }),
    );
    for (const broken of ['{"spec":{"command":["4711"', '"4711"', '[4711]']) {
      expect(withoutSecrets(Safe, safe(seen, { [kubectl]: broken }))).toEqual(safe(seen));
    }
  });
});

describe('a write of what was shown without secrets', () => {
  const kept = (written: JsonValue, stored: JsonValue = full) => keepSecrets(Safe, safe(written), safe(stored));

  it('keeps all of them, except in lists without a key', () => {
    const { written, stored } = kept(seen);
    expect(written).toEqual(safe({ ...full, rooms: seen.rooms }));
    expect(stored).toEqual(safe(full));
  });

  it('follows the keys of items, and keeps nothing for new items and in removed fields', () => {
    const { written } = kept({ template: { image: 'j', env: [{ name: 'C' }, { name: 'A' }] }, doors: { back: {} } });
    expect(written).toEqual(
      safe({
        command: ['run', '4711'],
        template: { image: 'j', code: '4711', env: [{ name: 'C' }, { name: 'A', value: '4711' }] },
        doors: { back: {} },
      }),
    );
  });

  it('takes what it sets, and compares it with a placeholder', () => {
    for (const guess of ['4711', 'x']) {
      const { written, stored } = kept({
        template: { image: 'i', env: [{ name: 'A', value: guess }] },
        command: [guess],
      });
      expect(written).toMatchObject({
        spec: { command: [guess], template: { code: '4711', env: [{ name: 'A', value: guess }] } },
      });
      expect(stored).toMatchObject({
        spec: {
          command: '<hidden>',
          template: {
            code: '4711',
            env: [
              { name: 'A', value: '<hidden>' },
              { name: 'B', value: '' },
            ],
          },
        },
      });
    }
  });

  it('removes what is null', () => {
    const { written, stored } = kept({ ...seen, command: null, template: { image: 'i', code: null } });
    expect(written).toMatchObject({ spec: { template: { image: 'i' } } });
    expect(JSON.stringify(written)).not.toMatch(/null|command|env.*code/);
    expect(stored).toEqual(safe(full));
  });

  it('keeps the configuration of a client-side apply as it was shown, and takes any other', () => {
    const text = JSON.stringify({ spec: full });
    const stored = safe(full, { [kubectl]: text });
    const { metadata } = withoutSecrets(Safe, stored) as { metadata: JsonValue };
    expect(keepSecrets(Safe, { metadata, spec: seen }, stored).written).toMatchObject({
      metadata: { annotations: { [kubectl]: text } },
    });
    for (const guess of [text, 'x']) {
      expect(keepSecrets(Safe, safe(seen, { [kubectl]: guess }), stored)).toMatchObject({
        written: { metadata: { annotations: { [kubectl]: guess } } },
        stored: { metadata: { annotations: { [kubectl]: '<hidden>' } } },
      });
    }
    const removed = keepSecrets(Safe, safe(seen), stored);
    expect(removed.written).toMatchObject({ metadata: { annotations: {} } });
    expect(removed.stored).toEqual(stored);
  });

  it('keeps only those among the fields of an owner, if there is one', () => {
    const owned = fromFieldsV1({
      'f:spec': { 'f:template': { 'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:value': {} } } } },
    });
    const { written } = keepSecrets(Safe, safe(seen), safe(full), owned);
    expect(written).toEqual(
      safe({
        ...seen,
        template: { image: 'i', env: [{ name: 'A', value: '4711' }, { name: 'B' }] },
        history: full.history,
      }),
    );
  });
});
