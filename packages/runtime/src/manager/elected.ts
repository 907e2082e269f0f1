/**
 * Runnables under a lease of their own: for parts of a program that have other candidates than the rest of it, such as
 * work that two different programs share.
 */
import type { LeaderElection } from './election.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import type { Runnable } from './runnable.ts';

interface ElectedOptions extends Pick<ManagerOptions, 'metrics' | 'log'> {
  readonly election: LeaderElection;
}

/** One runnable, for any manager, that runs these while it holds the lease of the election. */
export function electedRunnable(name: string, runnables: readonly Runnable[], options: ElectedOptions): Runnable {
  return {
    name,
    needsLeader: false,
    async run({ registry, signal }) {
      const manager = new Manager({ ...options, registry });
      for (const runnable of runnables) manager.add(runnable);
      await manager.run({ signal });
    },
  };
}
