import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import { SharedReads } from './shared-reads.ts';

const object: ApiObject<unknown, unknown> = {
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '' },
  spec: {},
};

/** Counts its calls, and answers when told. */
function reader() {
  const answers: ((result: Promise<typeof object>) => void)[] = [];
  return {
    answers,
    read: () => new Promise<typeof object>((resolve) => void answers.push(resolve)),
  };
}

describe('SharedReads', () => {
  it('reads a version once for all who ask at the same time, and again for who asks later', async () => {
    const reads = new SharedReads();
    const { answers, read } = reader();
    const both = Promise.all([reads.read('k', '1', read), reads.read('k', '1', read)]);
    expect(answers).toHaveLength(1);
    answers[0]?.(Promise.resolve(object));
    expect(await both).toEqual([object, object]);
    void reads.read('k', '1', read);
    expect(answers).toHaveLength(2);
  });

  it('reads again for a newer version: the read in flight may have begun before it', () => {
    const reads = new SharedReads();
    const { answers, read } = reader();
    void reads.read('k', '1', read);
    void reads.read('k', '2', read);
    void reads.read('l', '2', read);
    expect(answers).toHaveLength(3);
  });

  it('fails for all who share a failed read, and is not kept', async () => {
    const reads = new SharedReads();
    const { answers, read } = reader();
    const both = Promise.allSettled([reads.read('k', '1', read), reads.read('k', '1', read)]);
    answers[0]?.(Promise.reject(new ApiError('Unavailable', { what: 'k', reason: 'r' })));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void reads.read('k', '1', read);
    expect(answers).toHaveLength(2);
  });

  it('returns an object that was just written without a read, and reads another version of it', async () => {
    const reads = new SharedReads();
    const { answers, read } = reader();
    reads.offer('k', object);
    expect(await Promise.all([reads.read('k', '1', read), reads.read('k', '1', read)])).toEqual([object, object]);
    expect(answers).toEqual([]);
    reads.offer('k', object);
    void reads.read('k', '2', read);
    expect(answers).toHaveLength(1);
  });

  it('keeps a bounded number of written objects', () => {
    const reads = new SharedReads();
    const { answers, read } = reader();
    for (let index = 0; index < 1_000; index++) reads.offer(`k${index}`, object);
    for (let index = 0; index < 1_000; index++) void reads.read(`k${index}`, '1', read);
    expect(answers).toHaveLength(1_000 - 64);
  });
});
