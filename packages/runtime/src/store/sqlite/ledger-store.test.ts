import { expect, it } from 'vitest';
import { LedgerStore, type LedgerStoreParts } from './ledger-store.ts';

it('a store closes its ledger after its own work and the commits in flight have ended, in this order', async () => {
  const order: string[] = [];
  const gates: (() => void)[] = [];
  const gated = (name: string) =>
    new Promise<void>((resolve) => {
      gates.push(() => {
        order.push(name);
        resolve();
      });
    });
  const parts = {
    ledger: {
      what: 'the ledger',
      close: async (finish: () => Promise<void>) => {
        await finish();
        order.push('closed');
      },
    },
    flush: async (take: () => readonly unknown[]) => {
      const group = take();
      await gated('flushed');
      return group.map(() => ({ committed: true, revision: 1 }));
    },
    stop: () => gated('stopped'),
    finish: () => gated('finished'),
  };
  const store = new LedgerStore(parts as unknown as LedgerStoreParts);
  const opened = async (count: number) => {
    await expect.poll(() => gates.length, { interval: 2 }).toBe(count);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(gates).toHaveLength(count);
  };
  const commit = store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }]);
  await opened(1);
  const closing = store.close();
  expect(store.close()).toBe(closing);
  await opened(2);
  gates[1]?.();
  await opened(2);
  gates[0]?.();
  await commit;
  await opened(3);
  gates[2]?.();
  await closing;
  expect(order).toEqual(['stopped', 'flushed', 'finished', 'closed']);
  await expect(store.revision()).rejects.toMatchObject({ code: 'Closed' });
});
