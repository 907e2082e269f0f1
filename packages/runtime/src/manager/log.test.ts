import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { isEnabled, type LogLevel, silentLog } from '../ports/log.ts';
import { jsonLog, readableLog, withFields } from './log.ts';
import { FIELD_CHARACTERS_MAX, FIELD_DEPTH_MAX, FIELD_ITEMS_MAX } from './log-fields.ts';
import { preciseTimestampAt } from './precise-timestamp.ts';

const clock = new VirtualClock(Date.UTC(2026, 0, 2, 12, 3, 4, 123));

function json(fields: Record<string, unknown>, level: LogLevel = 'info'): Record<string, unknown> {
  const lines: string[] = [];
  jsonLog({ write: (line) => lines.push(line), clock, level }).write('error', 'it happened', fields);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]*\n$/);
  const { time, level: shown, msg, ...rest } = JSON.parse(lines[0] ?? '');
  expect([time, shown, msg]).toEqual(['2026-01-02T12:03:04.123Z', 'error', 'it happened']);
  return rest;
}

function readable(message: string, fields: Record<string, unknown> = {}, colour = false): string {
  const lines: string[] = [];
  readableLog({ write: (line) => lines.push(line), clock, colour }).write('info', message, fields);
  return lines.join('');
}

describe('the JSON log', () => {
  it('writes one object a line, with its fields', () => {
    expect(json({ key: 'a/b', count: 3, ok: true, nothing: null, absent: undefined })).toEqual({
      key: 'a/b',
      count: 3,
      ok: true,
      nothing: null,
    });
  });

  it('omits lines below its level', () => {
    const lines: string[] = [];
    const log = jsonLog({ write: (line) => lines.push(JSON.parse(line).msg), clock, level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log.write(level, level);
    expect(lines).toEqual(['warn', 'error']);
  });

  it('uses the system clock by default', () => {
    const lines: string[] = [];
    jsonLog({ write: (line) => lines.push(line) }).write('info', 'now');
    expect(Math.abs(Date.parse(JSON.parse(lines[0] ?? '').time) - Date.now())).toBeLessThan(60_000);
  });

  it('keeps its own time, level and message when fields have these names', () => {
    expect(json({ time: 1, level: 2, msg: 3 })).toEqual({ time_: 1, level_: 2, msg_: 3 });
  });

  it('shows an error as message, code and cause, with its stack only at debug', () => {
    const error = new ApiError('NotFound', { kind: 'Widget', name: 'a' }, new Error('deeper'));
    const shown = { message: 'Widget "a" not found', code: 'NotFound', cause: { message: 'deeper' } };
    expect(json({ error })).toEqual({ error: shown });
    expect(json({ error }, 'debug')).toMatchObject({ error: { ...shown, stack: expect.stringContaining('log.test') } });
  });

  it('shows no password, token or secret at any depth', () => {
    const fields = {
      password: 'x',
      accessToken: 'x',
      db: { 'client-secret': 'x', secretName: 'mine' },
      list: [{ token: 1 }],
    };
    expect(json(fields)).toEqual({
      password: '<hidden>',
      accessToken: '<hidden>',
      db: { 'client-secret': '<hidden>', secretName: 'mine' },
      list: [{ token: '<hidden>' }],
    });
  });

  it('hides secrets in messages, texts, environments and arguments', () => {
    const lines: string[] = [];
    const log = jsonLog({ write: (line) => lines.push(line), clock });
    log.write('info', 'connect with DB_PASS=hunter2', {
      text: 'AWS_ACCESS_KEY_ID=hunter2 is used',
      env: [{ name: 'S3_ACCESS_KEY', value: 'hunter2' }],
      args: ['--key', 'hunter2'],
      error: new Error('cannot open http://a:hunter2@host'),
    });
    expect(lines[0]).toContain('connect with DB_PASS=<hidden>');
    expect(lines[0]).not.toContain('hunter2');
  });

  it('writes any value', () => {
    const circle: Record<string, unknown> = { name: 'round' };
    circle['self'] = circle;
    const twice = { x: 1 };
    const fields = {
      big: 12345678901234567890n,
      circle,
      pair: [twice, twice],
      symbol: Symbol('s'),
      none: Number.NaN,
      map: new Map([['a', 1]]),
      set: new Set([1]),
      bytes: new Uint8Array(3),
      url: new URL('http://localhost/'),
      get broken() {
        throw new Error('no');
      },
      toJson: {
        toJSON() {
          throw new Error('no');
        },
      },
    };
    expect(json(fields)).toEqual({
      big: '12345678901234567890',
      circle: { name: 'round', self: '[circular]' },
      pair: [{ x: 1 }, { x: 1 }],
      symbol: 'Symbol(s)',
      none: 'NaN',
      map: { a: 1 },
      set: [1],
      bytes: '[3 bytes]',
      url: 'http://localhost/',
      broken: '[unreadable]',
      toJson: '[unreadable]',
    });
  });

  it('limits length, number and depth', () => {
    let deep: object = {};
    for (let depth = 0; depth < FIELD_DEPTH_MAX + 5; depth++) deep = { deep };
    const many = Object.fromEntries(Array.from({ length: FIELD_ITEMS_MAX + 1 }, (_, index) => [`f${index}`, index]));
    const shown = json({ text: 'x'.repeat(FIELD_CHARACTERS_MAX + 1), items: new Array(1000).fill(0), many, deep });
    expect(shown['text']).toBe(`${'x'.repeat(FIELD_CHARACTERS_MAX)}…`);
    expect(shown['items']).toHaveLength(FIELD_ITEMS_MAX);
    expect(Object.keys(shown['many'] as object)).toHaveLength(FIELD_ITEMS_MAX);
    expect(JSON.stringify(shown['deep'])).toBe(
      `${'{"deep":'.repeat(FIELD_DEPTH_MAX)}"…"${'}'.repeat(FIELD_DEPTH_MAX)}`,
    );
  });
});

describe('the readable log', () => {
  it('writes time, level, message and fields', () => {
    expect(readable('started', { key: 'a/b', count: 3 })).toBe('12:03:04.123 INFO  started key=a/b count=3\n');
  });

  it('quotes values with spaces, and shows objects as JSON', () => {
    const fields = { why: 'not "now"', none: '', where: { x: 1, y: 'a b' } };
    expect(readable('waiting', fields)).toBe(
      '12:03:04.123 INFO  waiting why="not \\"now\\"" none="" where={"x":1,"y":"a b"}\n',
    );
  });

  it('escapes line breaks and control characters', () => {
    const line = readable('one\n12:00:00.000 INFO  two\u001b[31m', { key: 'a\u009bb\n' });
    expect(line).toBe('12:03:04.123 INFO  one\\n12:00:00.000 INFO  two\\u001b[31m key="a\\u009bb\\n"\n');
  });

  it('has colours for a terminal', () => {
    expect(readable('started', { a: 1 }, true)).toBe(
      '12:03:04.123 \u001b[32mINFO \u001b[0m started \u001b[90ma=\u001b[0m1\n',
    );
  });
});

describe('withFields', () => {
  it("adds fields to every line; a line's own win", () => {
    const lines: unknown[] = [];
    const log = withFields({ write: (level, message, fields) => lines.push([level, message, fields]) }, { a: 1, b: 1 });
    log.write('info', 'x', { b: 2 });
    log.write('info', 'y');
    expect(lines).toEqual([
      ['info', 'x', { a: 1, b: 2 }],
      ['info', 'y', { a: 1, b: 1 }],
    ]);
  });
});

describe('isEnabled', () => {
  it('tells which lines a log drops, also with fields', () => {
    const log = withFields(jsonLog({ write: () => {}, level: 'info' }), { a: 1 });
    expect((['debug', 'info', 'error'] as const).filter((level) => isEnabled(log, level))).toEqual(['info', 'error']);
    expect(isEnabled(silentLog, 'error')).toBe(false);
    expect(isEnabled({ write: () => {} }, 'debug')).toBe(true);
  });
});

describe('a precise timestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
    [1_767_323_045_007.9, '2026-01-02T03:04:05.007Z'],
  ])('of %d is %s', (timeMs, text) => {
    expect(preciseTimestampAt(timeMs)).toBe(text);
  });
});
