import { Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { retryOnConflict, WriteConflict } from './conflict.ts';
import { EmbeddedRegistry } from './embedded.ts';

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

it('a write of an object that the caller knows reads it only if there is no commit to fail', async () => {
  let reads = 0;
  class CountingStore extends MemoryStore {
    override async get(...request: Parameters<MemoryStore['get']>) {
      reads++;
      return super.get(...request);
    }
  }
  const widgets = new EmbeddedRegistry({ store: new CountingStore(), kinds: [Widget] }).resource(Widget);
  const made = await widgets.create({ metadata: { name: 'a' }, spec: {} });
  const updated = await widgets.update({ ...made, spec: { size: 2 } }, { known: made });
  const done = await widgets.updateStatus({ ...updated, status: { phase: 'Done' } }, { known: updated });
  const known = await widgets.patch('a', { spec: { size: 3 } }, { known: done });
  expect(reads).toBe(0);
  expect((await widgets.patch('a', { spec: { size: 4 } }, { known, dryRun: true })).spec.size).toBe(4);
  expect(reads).toBe(1);
  expect(await widgets.get('a')).toEqual(known);
});
