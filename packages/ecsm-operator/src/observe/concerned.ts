/** Owners to be woken, each once. */
import { type OwnerKey, ownerKeysOf } from '../resource/naming.ts';

export class Concerned {
  readonly #wake: (owners: readonly OwnerKey[]) => void;
  readonly #owners = new Map<string, OwnerKey>();

  constructor(wake: (owners: readonly OwnerKey[]) => void) {
    this.#wake = wake;
  }

  add(owner: OwnerKey): void {
    this.#owners.set(`${owner.namespace}/${owner.name}`, owner);
  }

  /** All who could have given a service on the platform this name. */
  addOwnersOf(name: string): void {
    for (const owner of ownerKeysOf(name)) this.add(owner);
  }

  /** Wakes those who have not been. */
  wake(): void {
    const owners = [...this.#owners.values()];
    this.#owners.clear();
    if (owners.length > 0) this.#wake(owners);
  }
}
