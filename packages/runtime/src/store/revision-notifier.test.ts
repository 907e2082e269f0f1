import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RevisionNotifier } from './revision-notifier.ts';

describe('RevisionNotifier', () => {
  it('resolves waits for an earlier revision, and leaves no listener on their signal', async () => {
    const notifier = new RevisionNotifier();
    const { signal } = new AbortController();
    const waiting = notifier.wait(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    notifier.notify(1);
    expect(notifier.waiters).toBe(1);
    notifier.notify(2);
    await waiting;
    expect(notifier.waiters).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not wait for a revision that was notified before', async () => {
    const notifier = new RevisionNotifier();
    notifier.notify(2);
    await notifier.wait(1, undefined);
    expect(notifier.waiters).toBe(0);
  });
});
