/** Reports the outcome of commits to observers. */
import type { CommitOutcome, Store, Write } from '../store/contract.ts';
import type { WriteObserver } from './contract.ts';

type Commits = Pick<Store, 'commit'>;

export function observedCommits(commits: Commits, observers: readonly WriteObserver[]): Commits {
  if (observers.length === 0) return commits;
  return {
    async commit(writes: readonly Write[]): Promise<CommitOutcome> {
      try {
        const outcome = await commits.commit(writes);
        const keys = writes.flatMap(({ type, key }) => (type === 'check' ? [] : [key]));
        // A commit of checks only, or with a failed check, has written nothing.
        if (outcome.committed && keys.length > 0) {
          for (const observer of observers) observer.written?.(String(outcome.revision), keys);
        }
        return outcome;
      } catch (error) {
        for (const observer of observers) observer.failed?.(error);
        throw error;
      }
    },
  };
}
