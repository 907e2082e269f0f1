import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Batch } from './batch.ts';

it('a batch runs after the turn in which its work was added, in that order, and again in a later turn', async () => {
  const batch = new Batch();
  const done: string[] = [];
  batch.add(() => {
    done.push('a');
    batch.add(() => done.push('c'));
  });
  batch.add(() => done.push('b'));
  await Promise.resolve();
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(['a', 'b']);
  await nextTurn();
  expect(done).toEqual(['a', 'b', 'c']);
});
