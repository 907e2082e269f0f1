/**
 * One table of values with secrets, and one of values without. Each is redacted as a value, as a text, within JSON, and
 * twice.
 */
import { repetitions } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenShapes, plainNames, plainShapes, secret, secretNames } from './corpus.kit.ts';
import { hidden } from './mark.ts';
import { isSecretName } from './names.ts';
import { redactText } from './text.ts';
import { redact, redactNamed } from './value.ts';

describe('isSecretName', () => {
  it.each(secretNames)('is true of %s', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(redact({ [name]: secret })).toEqual({ [name]: hidden });
    expect(redact([`${name}=${secret}`])).toEqual([`${name}=${hidden}`]);
    expect(redact({ name, value: secret })).toEqual({ name, value: hidden });
    expect(redactNamed(name, secret)).toBe(hidden);
    expect(redactText(`x ${name}=${secret} y`)).toBe(`x ${name}=${hidden} y`);
    expect(redactText(`{"${name}": "${secret}", "y`)).toBe(`{"${name}": "${hidden}", "y`);
  });

  it.each(plainNames)('is false of %s', (name) => {
    expect(isSecretName(name)).toBe(false);
    for (const value of [{ [name]: 'x1' }, [`${name}=x1`], { name, value: 'x1' }]) expect(redact(value)).toEqual(value);
    for (const text of [`${name}=x1 y`, `${name}: x1`, `{"${name}": "x1", "y`]) expect(redactText(text)).toBe(text);
    expect(redactNamed(name, 'x1')).toBe('x1');
  });
});

describe('redact', () => {
  it('has a corpus of at least 100 shapes of secrets', () => {
    expect(secretNames.length + hiddenShapes.length).toBeGreaterThanOrEqual(100);
    expect(plainNames.length + plainShapes.length).toBeGreaterThanOrEqual(100);
  });

  it.each(hiddenShapes)('redacts %j to %j', (value, shown) => {
    const before = structuredClone(value);
    expect(redact(value)).toEqual(shown);
    expect(redact(shown)).toEqual(shown);
    expect(value).toEqual(before);
    const nested = JSON.stringify(redact({ config: JSON.stringify({ value }) }));
    expect(nested).not.toContain(secret);
    expect(nested).toContain(hidden);
    for (const text of [
      JSON.stringify(value),
      `x ${JSON.stringify(JSON.stringify(value))}`,
      JSON.stringify(value, null, 2),
    ]) {
      expect(redactText(text)).not.toContain(secret);
      expect(redactText(text)).toContain(hidden);
    }
  });

  it('hides a password of any length in a URL: tokens of image registries have thousands of characters', () => {
    const token = `${'Ab1'.repeat(700)}${secret}`;
    expect(redactText(`pull https://AWS:${token}@registry/a failed`)).toBe(`pull https://${hidden}@registry/a failed`);
    expect(redactText(`connect to amqp://a:${token}`)).toBe(`connect to amqp://a:${hidden}`);
  });

  // Before the `@` these could be anything.
  const isNamed = (value: unknown) => typeof value === 'string' && !/@tcp|:\/\/[^:]*@/.test(value);
  it.each(hiddenShapes.filter(([value]) => isNamed(value)))('leaves no part of a truncated secret in %j', (value) => {
    const text = `${value}`;
    for (let end = 0; end <= text.length; end++) {
      expect(redactText(text.slice(0, end))).not.toContain(secret.slice(0, 4));
    }
  });

  it.each(plainShapes)('keeps %j', (value) => {
    expect(redact(value)).toEqual(value);
    if (typeof value === 'string') expect(redactText(value)).toBe(value);
    expect(redact({ config: JSON.stringify({ value }) })).toEqual({ config: JSON.stringify({ value }) });
  });

  it('hides fields that a schema marks, with any name', () => {
    const mark = { secret: true } as const;
    const marks = { phrase: mark, list: { items: { properties: { code: mark } } }, map: { values: mark } };
    const schema = { properties: { spec: { properties: marks } } };
    const spec = { phrase: 'a', list: [{ code: 'b' }, { code: '' }], map: { x: 'c' } };
    const shown = { phrase: hidden, list: [{ code: hidden }, { code: hidden }], map: { x: hidden } };
    expect(redact({ spec, phrase: 'kept' }, schema)).toEqual({ spec: shown, phrase: 'kept' });
    expect(redact({ annotation: JSON.stringify({ spec }) }, schema)).toEqual({
      annotation: JSON.stringify({ spec: shown }),
    });
  });

  it('hides marked values that look like none, and those in a value that only usually has the form', () => {
    const like = { properties: { on: { secret: true }, command: { secret: true } } } as const;
    const shown = redact({ raw: { on: false, command: ['run', 'x'], image: 'a' } }, { properties: { raw: { like } } });
    expect(shown).toEqual({ raw: { on: hidden, command: hidden, image: 'a' } });
    expect(redact({ on: null, command: undefined }, like)).toEqual({ on: null, command: undefined });
  });

  it('terminates for cycles, great depth and bytes', () => {
    const cyclic: Record<string, unknown> = { password: secret };
    cyclic['self'] = cyclic;
    expect(redact(cyclic)).toEqual({ password: hidden, self: '[circular]' });
    expect(redact({ body: new Uint8Array(3) })).toEqual({ body: '[3 bytes]' });
    let deep: unknown = secret;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(JSON.stringify(redact(deep))).toContain('…');
  });

  it('terminates for hostile texts', { timeout: 120_000 }, () => {
    const pieces = [
      ...[
        'a',
        'token',
        '"',
        'token"',
        'password=',
        'token="',
        'password:',
        '\\',
        '\\"',
        '://',
        '://a:',
        'Bearer ',
        '=',
      ],
      ...[
        'eyJ',
        'eyJ-',
        'eyJaaaaa.',
        '--token ',
        '--token',
        '-a',
        'PWD=/',
        'name:',
        '"name":"',
        ' ',
        ': ',
        'sk-',
        'AKIA',
      ],
      ...['-----BEGIN PRIVATE KEY-----', 'PRIVATE KEY', 'password: must ', 'token: [', "'", 'password = \n', '{', '['],
    ];
    for (const piece of pieces) {
      const text = piece.repeat(300_000 / piece.length);
      expect(redactText(`x ${text}`).length).toBeGreaterThan(0);
      expect(redactText(`token ${text}`).length).toBeGreaterThan(0);
    }
  });

  it('does not change a redacted text', () => {
    const piece = fc.constantFrom(
      'password',
      'key',
      '=',
      ':',
      ' ',
      '"',
      "'",
      '\\',
      '--token',
      '<',
      'x1',
      '://',
      '@',
      ',',
      '{',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const once = redactText(pieces.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: repetitions({ test: 1_000, thorough: 3_000 }) },
    );
  });

  it('copies values without secrets unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(
          !/[=:：]|pass|secret|token|auth|cookie|key|cred|pw|jwt|pat|psk|basic|bearer|eyJ|--/i.test(
            JSON.stringify(value).replaceAll('":', ''),
          ),
        );
        expect(redact(value)).toEqual(value);
      }),
    );
  });
});
