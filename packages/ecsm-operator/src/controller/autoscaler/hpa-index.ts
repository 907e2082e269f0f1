/** All autoscalers by target: which one acts, and for which services usage is read. One list serves a round of syncs. */
import type { Clock, Registry } from '@ecsm/runtime';
import { ECSMHpa } from '../../apis/hpa.ts';
import { platformName } from '../../resource/naming.ts';

export interface HpaSnapshot {
  /** The autoscaler that acts on the target of this one: the oldest. */
  actingFor(hpa: ECSMHpa): ECSMHpa;
  /** Base names of the services whose usage autoscalers need. */
  readonly usageBases: readonly string[];
}

/** Syncs of one round start within this time. */
const ageMsMax = 1_000;

export class HpaIndex {
  readonly #clock: Clock;
  #atMs: number | undefined;
  #snapshot: Promise<Snapshot> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Includes the given autoscaler, and so everything that is older. */
  async read(registry: Registry, hpa: ECSMHpa): Promise<HpaSnapshot> {
    const known = this.#isRecent() ? await this.#snapshot?.catch(() => undefined) : undefined;
    if (known?.has(hpa)) return known;
    this.#atMs = this.#clock.monotonicMs();
    const reading = listed(registry);
    this.#snapshot = reading;
    return reading;
  }

  #isRecent(): boolean {
    return this.#atMs !== undefined && this.#clock.monotonicMs() - this.#atMs < ageMsMax;
  }
}

class Snapshot implements HpaSnapshot {
  readonly usageBases: readonly string[];
  readonly #uids: ReadonlySet<string>;
  readonly #acting: ReadonlyMap<string, ECSMHpa>;

  constructor(all: readonly ECSMHpa[]) {
    const acting = new Map<string, ECSMHpa>();
    for (const hpa of all) {
      const before = acting.get(targetOf(hpa));
      if (before === undefined || isOlder(hpa, before)) acting.set(targetOf(hpa), hpa);
    }
    this.#acting = acting;
    this.#uids = new Set(all.map(({ metadata }) => metadata.uid));
    this.usageBases = [...acting.values()].filter(needsUsage).map(baseOf);
  }

  has({ metadata }: ECSMHpa): boolean {
    return this.#uids.has(metadata.uid);
  }

  actingFor(hpa: ECSMHpa): ECSMHpa {
    const acting = this.#acting.get(targetOf(hpa));
    // The target may have been changed since the list.
    return acting === undefined || isOlder(hpa, acting) ? hpa : acting;
  }
}

async function listed(registry: Registry): Promise<Snapshot> {
  const { items } = await registry.resource(ECSMHpa).list();
  return new Snapshot(items.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
}

export function needsUsage({ spec }: ECSMHpa): boolean {
  return spec.metrics.some(({ type }) => type === 'Resource');
}

export function baseOf({ metadata, spec }: ECSMHpa): string {
  return platformName(metadata.namespace, spec.scaleTargetRef.name);
}

function targetOf({ metadata, spec }: ECSMHpa): string {
  return `${metadata.namespace}/${spec.scaleTargetRef.name}`;
}

/** Of two that were created in the same second, the first by name. */
function isOlder(one: ECSMHpa, other: ECSMHpa): boolean {
  const [left, right] = [one.metadata, other.metadata];
  if (left.creationTimestamp !== right.creationTimestamp) return left.creationTimestamp < right.creationTimestamp;
  return left.name < right.name;
}
