/** Owners that wait for nodes which are lost, and which their services may not even be allowed on now. */
import type { OwnerKey } from '../resource/naming.ts';

export class MissedNodes {
  readonly #missed = new Map<string, { readonly owner: OwnerKey; readonly nodeNames: readonly string[] }>();

  /** From now on this owner misses these nodes and no others. */
  miss({ namespace, name }: OwnerKey, nodeNames: readonly string[]): void {
    const key = `${namespace}/${name}`;
    if (nodeNames.length === 0) this.#missed.delete(key);
    else this.#missed.set(key, { owner: { namespace, name }, nodeNames });
  }

  /** Who misses one of these. */
  ownersMissing(nodeNames: ReadonlySet<string>): readonly OwnerKey[] {
    if (nodeNames.size === 0) return [];
    const all = [...this.#missed.values()];
    return all.filter((one) => one.nodeNames.some((name) => nodeNames.has(name))).map(({ owner }) => owner);
  }

  clear(): void {
    this.#missed.clear();
  }
}
