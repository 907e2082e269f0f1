import { describe, expect, it } from 'vitest';
import { RevisionNotifier } from './revision-notifier.ts';

describe('RevisionNotifier', () => {
  it('resolves waits for an earlier revision', async () => {
    const notifier = new RevisionNotifier();
    const waiting = notifier.waiter().wait(1);
    notifier.notify(1);
    expect(notifier.waiters).toBe(1);
    notifier.notify(2);
    await waiting;
    expect(notifier.waiters).toBe(0);
  });

  it('does not wait for a revision that was notified before', async () => {
    const notifier = new RevisionNotifier();
    notifier.notify(2);
    await notifier.waiter().wait(1);
    expect(notifier.waiters).toBe(0);
  });

  it('lets a watch wait again and again, until it is woken', async () => {
    const notifier = new RevisionNotifier();
    const waiter = notifier.waiter();
    for (let revision = 1; revision < 4; revision++) {
      const waiting = waiter.wait(revision);
      notifier.notify(revision);
      expect(notifier.waiters).toBe(1);
      notifier.notify(revision + 1);
      await waiting;
      expect(notifier.waiters).toBe(0);
    }
    await waiter.wait(1);
    const woken = waiter.wait(4);
    waiter.wake();
    await woken;
    expect(notifier.waiters).toBe(0);
  });

  it('ends the waits of watches when it fails or closes', async () => {
    const notifier = new RevisionNotifier();
    const waiter = notifier.waiter();
    const failing = waiter.wait(1);
    notifier.fail(new Error('damaged'));
    await expect(failing).rejects.toThrow('damaged');
    const closing = waiter.wait(1);
    notifier.close('the log');
    await expect(closing).rejects.toMatchObject({ code: 'Closed' });
    await expect(waiter.wait(1)).rejects.toMatchObject({ code: 'Closed' });
  });
});
