import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { jsonLog } from './log.ts';
import { SAMPLED_KINDS_MAX, sampledLog } from './log-sampling.ts';
import { MemoryLog, skewed } from './virtual.kit.ts';

function bench() {
  const time = new VirtualClock();
  const clock = skewed(time, 0);
  const lines = new MemoryLog();
  const log = sampledLog(lines, { clock, intervalMs: 10_000, linesMax: 3 });
  const fail = (count: number, error: unknown = 'no space left', message = 'a reconcile failed') => {
    for (let number = 1; number <= count; number++) log.write('error', message, { name: `web-${number}`, error });
  };
  return { time, clock, lines, log, fail };
}

describe('a sampled log', () => {
  it('writes the first lines of a kind, then one per interval with a count', async () => {
    const { time, lines, fail } = bench();
    for (let second = 0; second < 30; second++) {
      fail(100);
      await time.advance(1_000);
    }
    fail(1);
    expect(lines.lines.map(({ fields }) => fields['repeated'] ?? fields['name'])).toEqual([
      ...['web-1', 'web-2', 'web-3', 997],
      ...['web-1', 'web-2', 'web-3', 997],
      ...['web-1', 'web-2', 'web-3', 997],
      'web-1',
    ]);
    expect(lines.lines[3]).toEqual({
      level: 'error',
      message: 'a reconcile failed',
      fields: { name: 'web-100', error: 'no space left', repeated: 997 },
    });
  });

  it('writes the count with the next line of any kind after the interval', async () => {
    const { time, lines, log, fail } = bench();
    fail(5);
    await time.advance(9_999);
    log.write('info', 'still here');
    await time.advance(1);
    log.write('info', 'here again');
    expect(lines.lines.slice(3).map(({ message, fields }) => `${message} ${fields['repeated'] ?? ''}`)).toEqual([
      'still here ',
      'a reconcile failed 2',
      'here again ',
    ]);
  });

  it('treats lines that differ only in numbers and quoted names as the same', () => {
    const { lines, fail } = bench();
    for (let number = 0; number < 20; number++) fail(1, `"web-${number}" failed after ${number} ms`);
    for (let number = 0; number < 20; number++) {
      fail(1, new ApiError('StorageFull', { what: `"${number}"`, reason: 'ENOSPC' }));
    }
    expect(lines.lines).toHaveLength(6);
  });

  it('keeps different messages, causes and levels apart', () => {
    const { lines, log, fail } = bench();
    fail(5, 'one cause');
    fail(5, 'another cause');
    fail(5, 'one cause', 'another message');
    for (let number = 0; number < 5; number++) log.write('warn', 'a reconcile failed', { error: 'one cause' });
    expect(lines.lines).toHaveLength(12);
  });

  it('lets all lines of level info and debug pass', () => {
    const { lines, log } = bench();
    for (let number = 0; number < 20; number++) log.write(number % 2 ? 'info' : 'debug', 'create');
    expect(lines.lines).toHaveLength(20);
  });

  it('takes every line while lines are counted, so that their count is written in time', () => {
    const written: string[] = [];
    const log = sampledLog(jsonLog({ write: (line) => written.push(line), level: 'info' }));
    expect(log.isEnabled?.('debug')).toBe(false);
    log.write('warn', 'a reconcile failed');
    expect(log.isEnabled?.('debug')).toBe(true);
  });

  it('continues when the clock is set back', async () => {
    const { time, clock, lines, fail } = bench();
    fail(5);
    clock.step(-3_600_000);
    await time.advance(10_000);
    fail(1);
    expect(lines.lines.map(({ fields }) => fields['repeated'] ?? fields['name'])).toEqual([
      ...['web-1', 'web-2', 'web-3', 2, 'web-1'],
    ]);
  });

  it('limits the number of kinds, and writes the count of a dropped one', () => {
    const { lines, log, fail } = bench();
    fail(5);
    const word = (number: number) => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let number = 0; number < SAMPLED_KINDS_MAX; number++) log.write('warn', word(number));
    expect(lines.lines).toHaveLength(3 + SAMPLED_KINDS_MAX + 1);
    expect(lines.lines.at(-2)?.fields['repeated']).toBe(2);
  });
});
