/**
 * Names of services that the operator is creating, each with the poll that was the newest when the creation was sent. What
 * that poll or an earlier one lists under these names may be from before.
 */
import { basesOf } from '../resource/naming.ts';

export class PendingNames {
  readonly #polls = new Map<string, number>();

  add(base: string, poll: number): void {
    this.#polls.set(base, poll);
  }

  /** Whether a poll started after the name was last added, or it was not added at all. */
  isSettled(base: string, poll: number): boolean {
    return poll > (this.#polls.get(base) ?? 0);
  }

  /** The newest poll at which the name was added. It may have a revision behind the base. */
  pollOf(name: string): number | undefined {
    if (this.#polls.size === 0) return undefined;
    const polls = basesOf(name).flatMap((base) => this.#polls.get(base) ?? []);
    return polls.length === 0 ? undefined : Math.max(...polls);
  }

  /** A poll was complete: names that were added before it are settled. */
  settle(poll: number): void {
    for (const [base, added] of this.#polls) if (added < poll) this.#polls.delete(base);
  }

  clear(): void {
    this.#polls.clear();
  }
}
