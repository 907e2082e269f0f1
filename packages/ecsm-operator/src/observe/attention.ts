/**
 * Services that are ours, by id: what they are called, and what their instances looked like to whoever last decided about
 * them. Those that were not well then are doubted: the next sight of them is news, whatever it shows.
 */
import type { PlatformService } from '../resource/model.ts';
import { printOfInstances } from './fingerprint.ts';

interface Attended {
  readonly name: string;
  readonly print: number;
  /** The look that was the newest then. */
  readonly look: number;
}

/** No print of any instances. */
const neverDecidedOn = -1;

export class Attention {
  readonly #attended = new Map<string, Attended>();
  readonly #doubted = new Map<string, number>();

  get ids(): readonly string[] {
    return [...this.#attended.keys()];
  }

  has(id: string): boolean {
    return this.#attended.has(id);
  }

  /** It is ours, as its name tells; nobody has decided about it yet. */
  expect(id: string, name: string, look: number): void {
    if (!this.has(id)) this.#attended.set(id, { name, print: neverDecidedOn, look });
  }

  decidedOn({ id, name, instances }: PlatformService, look: number): void {
    const print = printOfInstances(instances);
    this.#attended.set(id, { name, print, look });
    if (this.#doubted.get(id) !== print) this.#doubted.delete(id);
  }

  /** Whether it is looked at with new doubt. The same doubt is not had twice. */
  doubt({ id, instances }: PlatformService): boolean {
    if (this.#doubted.has(id)) return false;
    this.#doubted.set(id, printOfInstances(instances));
    return true;
  }

  /** The name, if its instances are not what was decided on. */
  surprisedBy(id: string, instances: Parameters<typeof printOfInstances>[0]): string | undefined {
    const attended = this.#attended.get(id);
    return attended === undefined || attended.print === printOfInstances(instances) ? undefined : attended.name;
  }

  /**
   * A look showed these and no others. Answers the names of those that it should have shown; what was decided on while
   * it was under way may be too new for it.
   */
  keepOnly(ids: ReadonlySet<string>, look: number): readonly string[] {
    const gone: string[] = [];
    for (const [id, { name, look: since }] of this.#attended) {
      if (ids.has(id) || since >= look) continue;
      gone.push(name);
      this.#attended.delete(id);
    }
    for (const id of this.#doubted.keys()) if (!this.has(id)) this.#doubted.delete(id);
    return gone;
  }

  clear(): void {
    this.#attended.clear();
    this.#doubted.clear();
  }
}
