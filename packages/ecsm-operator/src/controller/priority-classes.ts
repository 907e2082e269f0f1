/** The PriorityClasses of the registry, by name. They are few, and are read again when one of them changes. */
import { PriorityClass, type Registry } from '@ecsm/runtime';

export interface Priority {
  readonly value: number;
  readonly mayPreempt: boolean;
}

/** Of services without a class, if no class is the default. */
const noPriority: Priority = { value: 0, mayPreempt: true };

export class PriorityClasses {
  #classes: ReadonlyMap<string, Priority> = new Map();
  #fallback: Priority | undefined;

  async load(registry: Registry): Promise<void> {
    const { items } = await registry.resource(PriorityClass).list();
    const found = items.map((one) => ({ name: one.metadata.name, ...PriorityClass.fieldsOf(one) }));
    const priorityOf = ({ value, preemptionPolicy }: (typeof found)[number]) => ({
      value,
      mayPreempt: preemptionPolicy !== 'Never',
    });
    this.#classes = new Map(found.map((one) => [one.name, priorityOf(one)]));
    // As in Kubernetes: of several defaults the one with the lowest value applies.
    const [first] = found.filter((one) => one.globalDefault === true).sort((left, right) => left.value - right.value);
    this.#fallback = first && priorityOf(first);
  }

  /** Whether services without a class have a priority too. */
  get hasDefault(): boolean {
    return this.#fallback !== undefined;
  }

  has(name: string): boolean {
    return this.#classes.has(name);
  }

  /** An unknown class has the priority 0: it must not displace anything by mistake. */
  of(className: string | undefined): Priority {
    if (className === undefined) return this.#fallback ?? noPriority;
    return this.#classes.get(className) ?? noPriority;
  }
}
