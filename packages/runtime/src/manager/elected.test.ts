import { expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { electedRunnable } from './elected.ts';
import { LeaderElection } from './election.ts';
import { Lease } from './lease.ts';
import { Manager } from './manager.ts';

it('runs in one of two programs, and in the other one when the first has ended', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Lease] });
  const active = new Set<string>();
  const program = (identity: string, ownLease: string) => {
    const times = { leaseMs: 300, renewDeadlineMs: 200, retryMs: 20 };
    const electionOf = (name: string) => new LeaderElection({ registry, name, identity, ...times });
    const work = {
      name: 'work',
      run: async ({ signal }: { readonly signal: AbortSignal }) => {
        active.add(identity);
        await new Promise((end) => signal.addEventListener('abort', end, { once: true }));
        active.delete(identity);
      },
    };
    const end = new AbortController();
    const manager = new Manager({ registry, election: electionOf(ownLease) });
    manager.add(electedRunnable('shared', [work], { election: electionOf('shared') }));
    return { end, ended: manager.run({ signal: end.signal }) };
  };
  const first = program('first', 'own-of-first');
  await expect.poll(() => [...active]).toEqual(['first']);
  const second = program('second', 'own-of-second');
  await expect
    .poll(
      async () =>
        (
          await registry
            .resource(Lease)
            .get('own-of-second')
            .catch(() => undefined)
        )?.spec.holderIdentity,
    )
    .toBe('second');
  expect([...active]).toEqual(['first']);
  first.end.abort();
  await first.ended;
  await expect.poll(() => [...active]).toEqual(['second']);
  second.end.abort();
  await second.ended;
  await registry.close();
});
