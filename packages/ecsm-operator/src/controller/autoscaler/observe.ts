/** What an autoscaler observes: the other autoscalers of its target, the target, and metrics. It only reads. */
import type { Ecsm, Transport } from '@ecsm/client';
import { type Clock, deepEqual, isApiError, type Pass, type Registry } from '@ecsm/runtime';
import { ECSMService } from '../../apis/ecsm-service.ts';
import { ECSMHpa, type HpaMetric, type HpaStatus } from '../../apis/hpa.ts';
import type { Observer } from '../../observe/observer.ts';
import { isOfPlatform } from '../../observe/platform-error.ts';
import { Prometheus } from '../../observe/prometheus.ts';
import { UsageReader } from '../../observe/usage-reader.ts';
import { platformName } from '../../resource/naming.ts';
import { needsMetrics } from '../../service/autoscaling/decide.ts';
import { sampleOf } from '../../service/autoscaling/instance-sample.ts';
import type { MetricReading } from '../../service/autoscaling/model.ts';
import { type HpaFacts, isOlder, scaleOf } from '../../service/autoscaling/sync.ts';

/** What is read besides the registry. */
export interface MetricSources {
  readonly usage: Pick<UsageReader, 'read' | 'clear'>;
  readonly prometheus: Pick<Prometheus, 'query'>;
  /** Whether the services on the platform of this base name are known. */
  readonly isObserved: (base: string) => boolean;
  /** Whether the next poll of the platform shows them: there is no failure. */
  readonly isAwaited: (base: string) => boolean;
  readonly offlineNodes: () => ReadonlySet<string>;
  /** Why the platform cannot be reached; undefined if it can. */
  readonly linkFailure: () => string | undefined;
}

interface MetricSourcesOptions extends Pick<MetricSources, 'linkFailure'> {
  readonly ecsm: Ecsm;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly callTimeoutMs: number;
  /** Prometheus servers that may be queried: URL → transport. */
  readonly prometheus: ReadonlyMap<string, Transport>;
}

export function metricSources(options: MetricSourcesOptions): MetricSources {
  const { ecsm, observer, clock, intervalMs, callTimeoutMs, linkFailure } = options;
  const { poller, services } = observer;
  return {
    usage: new UsageReader({
      ecsm,
      clock,
      intervalMs,
      // A service that no reconcile has decided about may belong to another owner.
      servicesOf: (base) =>
        poller.idsOf(base)?.flatMap((id) => {
          const decided = services.get(id)?.decided;
          return decided === undefined ? [] : [{ id, fingerprint: decided.fingerprint }];
        }),
    }),
    prometheus: new Prometheus({ servers: options.prometheus, clock, timeoutMs: callTimeoutMs }),
    isObserved: (base) => poller.idsOf(base)?.every((id) => services.get(id)?.decided !== undefined) ?? false,
    isAwaited: (base) => poller.isAwaited(base),
    offlineNodes: () => observer.offlineNodes,
    linkFailure,
  };
}

/** When the status was last written, as far as this process knows. */
export interface HpaMemory {
  status: HpaStatus | undefined;
  readMs: number;
  writtenMs: number | undefined;
}

interface Round {
  /** Of all autoscalers. */
  readonly uids: ReadonlySet<string>;
  /** Target → the autoscaler that acts on it. */
  readonly acting: ReadonlyMap<string, ECSMHpa>;
  /** Base names of the targets whose usage they need. */
  readonly usageBases: readonly string[];
}

/** Syncs of one round start within this time: one list serves them. */
const roundMsMax = 1_000;
/** Values of metrics alone are written after this number of syncs, which is a minute by default. */
const syncsPerValues = 4;

export class HpaObserver {
  readonly #sources: MetricSources;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #startMs = Number.NEGATIVE_INFINITY;
  #round: { readonly atMs: number; readonly reading: Promise<Round> } | undefined;

  constructor(sources: MetricSources, clock: Clock, intervalMs: number) {
    this.#sources = sources;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** What was read in a former term of this process is outdated. */
  startTerm(): void {
    this.#startMs = this.#clock.monotonicMs();
    this.#round = undefined;
    this.#sources.usage.clear();
  }

  async observe(hpa: ECSMHpa, { registry, memory, signal }: Pass<HpaMemory>): Promise<HpaFacts> {
    const areValuesDue = this.#areValuesDue(hpa, memory);
    if (this.#isEarly(hpa)) return { is: 'early' };
    const { acting, usageBases } = await this.#roundOf(hpa, registry);
    const oldest = acting.get(targetKeyOf(hpa));
    // The target may have been changed since the list.
    if (oldest !== undefined && isOlder(oldest, hpa)) return { is: 'ambiguous', acting: oldest };
    const target = await targetOf(hpa, registry);
    if (target === undefined) return { is: 'missing' };
    const replicas = scaleOf(target);
    if (replicas === undefined) return { is: 'not scalable', target };
    const isNeeded = needsMetrics(hpa.spec, replicas);
    const readings = isNeeded ? await this.#readings(hpa, target, usageBases, signal) : [];
    return { is: 'scalable', target, replicas, readings, areValuesDue };
  }

  /** A status that differs from the one of the sync before was written by that sync. */
  #areValuesDue({ status }: ECSMHpa, memory: Partial<HpaMemory>): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (!deepEqual(memory.status, status)) memory.writtenMs = memory.readMs;
    memory.status = status;
    memory.readMs = nowMs;
    return nowMs - (memory.writtenMs ?? Number.NEGATIVE_INFINITY) >= this.#intervalMs * syncsPerValues;
  }

  /** After a start, and after their creation, the services on the platform are not known yet. */
  #isEarly(hpa: ECSMHpa): boolean {
    const { isObserved, isAwaited } = this.#sources;
    const base = baseOf(hpa);
    if (!needsUsage(hpa) || isObserved(base)) return false;
    return isAwaited(base) || this.#clock.monotonicMs() - this.#startMs < this.#intervalMs;
  }

  /** A list that contains the given autoscaler, and so everything that is older. */
  async #roundOf({ metadata }: ECSMHpa, registry: Registry): Promise<Round> {
    const nowMs = this.#clock.monotonicMs();
    const isRecent = this.#round !== undefined && nowMs - this.#round.atMs < roundMsMax;
    const known = isRecent ? await this.#round?.reading.catch(() => undefined) : undefined;
    if (known?.uids.has(metadata.uid)) return known;
    const reading = readRound(registry);
    this.#round = { atMs: nowMs, reading };
    return reading;
  }

  /** One read of usage for all metrics of the autoscaler. A metric that cannot be read is a reading too. */
  #readings(
    hpa: ECSMHpa,
    target: ECSMService,
    usageBases: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly MetricReading[]> {
    const usage = needsUsage(hpa) ? this.#usage(hpa, target, usageBases, signal) : undefined;
    return Promise.all(
      hpa.spec.metrics.map(async ({ type, prometheus }): Promise<MetricReading> => {
        if (type === 'Resource' && usage !== undefined) return usage;
        return prometheus === undefined ? { is: 'time' } : this.#value(prometheus, signal);
      }),
    );
  }

  async #usage(
    hpa: ECSMHpa,
    { status }: ECSMService,
    others: readonly string[],
    signal: AbortSignal,
  ): Promise<MetricReading> {
    const { usage, offlineNodes, linkFailure } = this.#sources;
    // A short text: the reason of the link changes with every attempt, and each text would be written.
    if (linkFailure() !== undefined) return { is: 'failed', message: 'the platform does not respond' };
    const removedIds = new Set((status?.removals ?? []).map(({ id }) => id));
    try {
      const rows = await usage.read({ base: baseOf(hpa), others, signal });
      const context = { offlineNodes: offlineNodes(), removedIds };
      return { is: 'usage', instances: rows.map((row) => sampleOf(row, context)) };
    } catch (error) {
      if (signal.aborted || !isOfPlatform(error)) throw error;
      return { is: 'failed', message: error.message };
    }
  }

  async #value({ server, query }: NonNullable<HpaMetric['prometheus']>, signal: AbortSignal): Promise<MetricReading> {
    try {
      return { is: 'value', value: await this.#sources.prometheus.query(server, query, signal) };
    } catch (error) {
      if (signal.aborted || !isApiError(error)) throw error;
      return { is: 'failed', message: error.message };
    }
  }
}

async function readRound(registry: Registry): Promise<Round> {
  const { items } = await registry.resource(ECSMHpa).list();
  const all = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const acting = new Map<string, ECSMHpa>();
  for (const hpa of all) {
    const before = acting.get(targetKeyOf(hpa));
    if (before === undefined || isOlder(hpa, before)) acting.set(targetKeyOf(hpa), hpa);
  }
  return {
    uids: new Set(all.map(({ metadata }) => metadata.uid)),
    acting,
    usageBases: [...acting.values()].filter(needsUsage).map(baseOf),
  };
}

async function targetOf({ metadata, spec }: ECSMHpa, registry: Registry): Promise<ECSMService | undefined> {
  try {
    return await registry.resource(ECSMService).get(spec.scaleTargetRef.name, { namespace: metadata.namespace });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    return undefined;
  }
}

function needsUsage({ spec }: ECSMHpa): boolean {
  return spec.metrics.some(({ type }) => type === 'Resource');
}

function targetKeyOf({ metadata, spec }: ECSMHpa): string {
  return `${metadata.namespace}/${spec.scaleTargetRef.name}`;
}

/** The name of the target on the platform. */
function baseOf({ metadata, spec }: ECSMHpa): string {
  return platformName(metadata.namespace, spec.scaleTargetRef.name);
}
