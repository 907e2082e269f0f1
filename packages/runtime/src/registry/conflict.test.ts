import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { retryOnConflict, WriteConflict } from './conflict.ts';

const conflict = () => new WriteConflict('Widget', 'a');

async function attemptsOf(errors: (attempt: number) => Error | undefined): Promise<[number, unknown]> {
  let attempts = 0;
  const result = await retryOnConflict(async () => {
    const error = errors(++attempts);
    if (error) throw error;
    return 'done';
  }).catch((error: unknown) => error);
  return [attempts, result];
}

describe('a write that others outrun', () => {
  it('is repeated until it is first', async () => {
    expect(await attemptsOf((attempt) => (attempt < 5 ? conflict() : undefined))).toEqual([5, 'done']);
    const exists = new ApiError('AlreadyExists', { kind: 'Widget', name: 'a' });
    expect(await attemptsOf((attempt) => (attempt < 3 ? exists : undefined))).toEqual([3, 'done']);
  });

  it('is given up after 50 attempts', async () => {
    expect(await attemptsOf((attempt) => (attempt < 50 ? conflict() : undefined))).toEqual([50, 'done']);
    expect(await attemptsOf(conflict)).toEqual([50, expect.any(WriteConflict)]);
  });

  it.each([
    new ApiError('Conflict', { kind: 'Widget', name: 'a', reason: 'another uid' }),
    new ApiError('Unavailable', { what: 'store', reason: 'down' }),
    new Error('other'),
  ])('is not repeated after another error: %s', async (error) => {
    expect(await attemptsOf(() => error)).toEqual([1, error]);
  });
});
