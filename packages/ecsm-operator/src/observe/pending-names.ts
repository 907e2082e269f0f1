/**
 * Names that we gave to services on the platform, each with the look that was the newest when we did. What that look or
 * an earlier one shows of them may be from before.
 */
import { ownerKeysOf, platformName } from '../resource/naming.ts';

export class GivenNames {
  readonly #looks = new Map<string, number>();

  give(base: string, look: number): void {
    this.#looks.set(base, look);
  }

  /** Whether a look was begun after the name was last given. Without having been given, every one was. */
  isSeenBy(look: number, base: string): boolean {
    return look > (this.#looks.get(base) ?? 0);
  }

  /** The look that counts for a service of this name, which may have a revision behind what we gave. */
  lookOf(name: string): number | undefined {
    if (this.#looks.size === 0) return undefined;
    const looks = ownerKeysOf(name).flatMap(
      (owner) => this.#looks.get(platformName(owner.namespace, owner.name)) ?? [],
    );
    return looks.length === 0 ? undefined : Math.max(...looks);
  }

  /** A look was complete: what was given before it is known now. */
  seen(look: number): void {
    for (const [base, given] of this.#looks) if (given < look) this.#looks.delete(base);
  }

  clear(): void {
    this.#looks.clear();
  }
}
