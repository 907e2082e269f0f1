import { ApiError, type Random } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { PlatformResponse } from './errors.ts';
import { retryDelayMs } from './retry.ts';
import { unavailable } from './scripted-transport.kit.ts';

const fixed = (value: number) => ({ next: () => value, uuid: () => '' });
const failed = { error: unavailable(), attempt: 1, attemptsMax: 3, isSafe: true, remainingMs: 10_000 };
const envelope = (code: number | undefined, retryAfterMs?: number) =>
  new PlatformResponse({ httpStatus: 200, code, message: '', retryAfterMs });

describe('a failed call', () => {
  it('is retried if it is safe, retryable, and attempts and time are left', () => {
    expect(retryDelayMs(failed, fixed(1))).toBe(200);
    expect(retryDelayMs({ ...failed, isSafe: false }, fixed(1))).toBeUndefined();
    expect(retryDelayMs({ ...failed, attempt: 3 }, fixed(1))).toBeUndefined();
    expect(retryDelayMs({ ...failed, remainingMs: 201 }, fixed(1))).toBe(200);
    expect(retryDelayMs({ ...failed, remainingMs: 200 }, fixed(1))).toBeUndefined();
  });

  it('is retried only for retryable errors', () => {
    const what = 'GET /x';
    const cases: readonly [error: unknown, isRepeated: boolean][] = [
      [new ApiError('Unavailable', { what, reason: '' }), true],
      [new ApiError('Timeout', { what, timeoutMs: 1 }), true],
      [new ApiError('BadAnswer', { what, reason: 'cut' }), true],
      [new ApiError('BadAnswer', { what, reason: 'another shape' }, envelope(200)), false],
      [new ApiError('Rejected', { what, reason: '' }, envelope(31099)), false],
      [new ApiError('NotFound', { kind: 'a', name: 'b' }), false],
      [new ApiError('Conflict', { kind: 'a', name: 'b', reason: '' }), false],
      [new ApiError('TooLarge', { what, sizeBytes: 2, limitBytes: 1 }), false],
      [new ApiError('Internal', { reason: '' }), false],
      [new Error('other'), false],
    ];
    for (const [error, isRepeated] of cases) {
      expect([error, retryDelayMs({ ...failed, error }, fixed(0)) !== undefined]).toEqual([error, isRepeated]);
    }
  });

  it('waits for retry-after, up to the deadline', () => {
    const error = (ms: number) => new ApiError('Unavailable', { what: 'x', reason: '' }, envelope(503, ms));
    expect(retryDelayMs({ ...failed, error: error(4_000) }, fixed(0))).toBe(4_000);
    expect(retryDelayMs({ ...failed, error: error(0) }, fixed(0))).toBe(100);
    expect(retryDelayMs({ ...failed, error: error(10_000) }, fixed(0))).toBeUndefined();
  });

  it('waits longer each time, up to two seconds, with jitter', () => {
    const delayMs = (attempt: number, random: Random) =>
      retryDelayMs({ ...failed, attempt, attemptsMax: 100, remainingMs: 60_000 }, random);
    expect([1, 2, 3, 4, 5, 60].map((attempt) => delayMs(attempt, fixed(1)))).toEqual([200, 400, 800, 1600, 2000, 2000]);
    expect([1, 5].map((attempt) => delayMs(attempt, fixed(0)))).toEqual([100, 1000]);
    const random = new SeededRandom(1);
    expect(new Set(Array.from({ length: 50 }, () => delayMs(1, random))).size).toBeGreaterThan(40);
  });
});
