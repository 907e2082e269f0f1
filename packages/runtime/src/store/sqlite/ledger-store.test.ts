import { expect, it } from 'vitest';
import { LedgerStore, type LedgerStoreParts } from './ledger-store.ts';

it.each([
  ['its own work', 'stopped', 'flushed'],
  ['the commits in flight', 'flushed', 'stopped'],
])(
  'a store closes its ledger after its own work and the commits in flight, also if %s ends first',
  async (_, ...ends) => {
    const order: string[] = [];
    const gates = new Map<string, () => void>();
    const gated = (name: string) =>
      new Promise<void>((resolve) => {
        gates.set(name, () => {
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
    const opened = async (...names: string[]) => {
      await expect.poll(() => [...gates.keys()], { interval: 2 }).toEqual(names);
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect([...gates.keys()]).toEqual(names);
    };
    const commit = store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }]);
    await opened('flushed');
    const closing = store.close();
    expect(store.close()).toBe(closing);
    for (const end of ends) {
      await opened('flushed', 'stopped');
      gates.get(end)?.();
    }
    await commit;
    await opened('flushed', 'stopped', 'finished');
    gates.get('finished')?.();
    await closing;
    expect(order).toEqual([...ends, 'finished', 'closed']);
    await expect(store.revision()).rejects.toMatchObject({ code: 'Closed' });
  },
);
