/** Candidates on one store, each with its own link, clock and life, and a record of who led when. */
import { VirtualClock, Widget } from '@ecsm/runtime/testing';
import type { Registry } from '../registry/contract.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { bare } from '../registry/registries.kit.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { LeaderElection, type LeaderElectionOptions } from './election.ts';
import { Lease, type LeaseObject } from './lease.ts';
import { Link, MemoryLog, seeded, skewed } from './virtual.kit.ts';

interface CandidateOptions extends Partial<LeaderElectionOptions> {
  readonly offsetMs?: number;
  /** Whether its registry has no capability, so that it cannot fence. */
  readonly isBare?: boolean;
}

export class Stage {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore();
  readonly candidates: Candidate[] = [];
  /** Most leaders at one moment. */
  leadersMax = 0;

  candidate(identity: string, options: CandidateOptions = {}): Candidate {
    const candidate = new Candidate(this, identity, options);
    this.candidates.push(candidate);
    return candidate;
  }

  get leaders(): string[] {
    return this.candidates.filter(({ working }) => working).map(({ identity }) => identity);
  }

  /** A registry that no election has to do with. */
  get registry(): EmbeddedRegistry {
    return new EmbeddedRegistry({ store: this.store, kinds: [Lease, Widget], clock: this.clock });
  }

  async lease(): Promise<LeaseObject> {
    return this.registry.resource(Lease).get('main');
  }
}

export class Candidate {
  readonly identity: string;
  readonly link: Link;
  readonly clock: ReturnType<typeof skewed>;
  readonly log = new MemoryLog();
  readonly election: LeaderElection;
  readonly life = new AbortController();
  /** Whether its work goes on at this moment. */
  working = false;
  tenures = 0;
  /** When the signal of its work last aborted. */
  toldToStopMs = Number.NaN;
  /** How long its work takes to stop. */
  drainMs = 0;
  registry: Registry | undefined;
  ended: Promise<void> = Promise.resolve();
  readonly #fixture: Stage;

  constructor(fixture: Stage, identity: string, { offsetMs = 0, isBare = false, ...options }: CandidateOptions) {
    this.#fixture = fixture;
    this.identity = identity;
    this.link = new Link(fixture.store);
    this.clock = skewed(fixture.clock, offsetMs);
    const random = seeded(identity.charCodeAt(0));
    const embedded = new EmbeddedRegistry({
      store: this.link.store,
      kinds: [Lease, Widget],
      clock: this.clock,
      random,
    });
    const registry = isBare ? bare(embedded) : embedded;
    this.election = new LeaderElection({ registry, name: 'main', identity, log: this.log, ...options });
  }

  start(lead: (registry: Registry, signal: AbortSignal) => Promise<void> = this.lead): this {
    this.ended = this.election.run({ signal: this.life.signal, lead });
    this.ended.catch(() => {});
    return this;
  }

  readonly lead = async (registry: Registry, signal: AbortSignal): Promise<void> => {
    const fixture = this.#fixture;
    this.registry = registry;
    this.working = true;
    this.tenures++;
    fixture.leadersMax = Math.max(fixture.leadersMax, fixture.leaders.length);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.toldToStopMs = fixture.clock.monotonicMs();
    if (this.drainMs > 0) await new Promise<void>((resolve) => void fixture.clock.after(this.drainMs, resolve));
    this.working = false;
  };

  /** From now on it has no effects, like a suspended process: its timers never fire. */
  die(): void {
    this.link.is = 'silent';
    this.working = false;
  }
}
