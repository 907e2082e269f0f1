/**
 * Passes over clusters: observe, decide, write the intent, act. The controllers decide when a pass runs; two passes over
 * one cluster never run at the same time.
 */
import {
  deepEqual,
  type EventRecorder,
  isApiError,
  type Log,
  NAMESPACE_DEFAULT,
  type ObjectName,
  type Registry,
  type Request,
} from '@ecsm/runtime';
import { EtcdCluster, type EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { FINALIZER } from '../apis/well-known.ts';
import type { ClusterLabels } from '../client/metrics/client.ts';
import { CheckedObjects } from '../resource/checked-objects.ts';
import { ClusterService, type ClusterServiceOptions, type ObservedCluster } from '../service/cluster/cluster.ts';
import { invalidStatus } from '../service/cluster/invalid.ts';
import type { PassInput } from '../service/model.ts';
import type { MonitoringService } from '../service/monitoring/monitoring.ts';
import { statusOf } from '../service/monitoring/status.ts';
import { transitions } from '../service/monitoring/transitions.ts';
import { nextAction } from '../service/next-action.ts';
import { KnownCertificates } from './known-certificates.ts';
import { KnownSeats } from './known-seats.ts';
import { ResizeRefusals } from './resize-refusals.ts';

export interface PassesOptions extends Omit<ClusterServiceOptions, 'registry'> {
  readonly monitoring: MonitoringService;
}

export interface PassContext {
  /** Returns the newest version of the cluster; undefined if it was deleted. */
  get(): Promise<EtcdCluster | undefined>;
  readonly registry: Registry;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly events: EventRecorder | undefined;
}

/** When to look again, if nothing changes before. Undefined: only after a change. */
export interface PassResult {
  readonly requeueAfterMs: number | undefined;
  /** Nothing was done: the cluster exists and is not wanted. */
  readonly isSkipped?: boolean;
  /** The cluster at the end of the pass; undefined if it does not exist. */
  readonly cluster?: EtcdCluster;
}

export type ClusterFilter = (cluster: EtcdCluster) => boolean;

/** In intervals of passes at rest, of which the controller in charge runs one at least. */
const seatAgeIntervals = 2;

export class Passes {
  readonly seats: KnownSeats;
  readonly #options: PassesOptions;
  /** The last pass over each cluster that has one in progress. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #refusals = new ResizeRefusals();
  readonly #certificates = new KnownCertificates();
  readonly #checked: CheckedObjects;
  /** Clusters whose objects have changed during the pass in progress, which may have read them before. */
  readonly #changed = new Set<string>();

  constructor(options: PassesOptions) {
    this.#options = options;
    this.seats = new KnownSeats(options.clock, options.settings.restMs * seatAgeIntervals);
    this.#checked = new CheckedObjects(options.clock, options.settings.restMs / 2);
  }

  /** An object of the cluster has changed or was deleted: the next pass reads all of them. */
  changed(name: ObjectName): void {
    const cluster = nameOf(name);
    this.#forgetRead(cluster);
    if (this.#running.has(cluster)) this.#changed.add(cluster);
  }

  /** Does nothing if the cluster is not `wanted` when it is read. */
  async run(request: Request, context: PassContext, isWanted: ClusterFilter = () => true): Promise<PassResult> {
    const key = nameOf(request);
    const before = this.#running.get(key) ?? Promise.resolve();
    const pass = before.catch(() => undefined).then(() => this.#pass(request, context, isWanted));
    this.#running.set(key, pass);
    try {
      return await pass;
    } finally {
      if (this.#running.get(key) === pass) this.#running.delete(key);
    }
  }

  async #pass(request: Request, context: PassContext, isWanted: ClusterFilter): Promise<PassResult> {
    const { registry, signal } = context;
    if (this.#changed.delete(nameOf(request))) this.#forgetRead(nameOf(request));
    const cluster = await context.get();
    if (cluster === undefined) {
      this.#options.monitoring.forget(labelsOf(request));
      this.#refusals.forget(request.key);
      this.seats.forget(request.key);
      this.#forgetRead(nameOf(request));
      return { requeueAfterMs: undefined };
    }
    this.seats.keep(request.key, cluster);
    if (!isWanted(cluster)) return { requeueAfterMs: undefined, isSkipped: true, cluster };
    const isDeleting = cluster.metadata.deletionTimestamp !== undefined;
    const hasFinalizer = cluster.metadata.finalizers?.includes(FINALIZER) ?? false;
    if (isDeleting && !hasFinalizer) return { requeueAfterMs: undefined };
    const service = new ClusterService({ ...this.#options, registry });
    if (!hasFinalizer) {
      await service.addFinalizer(cluster);
      return { requeueAfterMs: 0, cluster };
    }
    const errors = isDeleting ? [] : EtcdCluster.validate(cluster);
    if (errors.length > 0) {
      const nowMs = this.#options.clock.now();
      const written = await this.#writeStatus(request, context, cluster, invalidStatus(cluster, errors, nowMs));
      return { requeueAfterMs: this.#options.settings.restMs, cluster: written ?? cluster };
    }
    const observed = await this.#observe(request, cluster, service, signal);
    try {
      return await this.#decide(request, observed, service, context);
    } finally {
      observed.etcd.close();
    }
  }

  /** What leads to an action was read in this pass. */
  async #observe(
    request: Request,
    cluster: EtcdCluster,
    service: ClusterService,
    signal: AbortSignal,
  ): Promise<ObservedCluster> {
    const key = nameOf(request);
    const resizeRefused = this.#refusals.find(request.key, cluster, this.#options.clock.now());
    const certificates = this.#certificates.use(key, cluster);
    const checked = this.#checked;
    if (certificates) {
      const observed = await service.observe(cluster, signal, { resizeRefused, certificates, checked });
      if (isAtRest(observed.input)) return observed;
      observed.etcd.close();
    }
    const observed = await service.observe(cluster, signal, { resizeRefused, checked });
    if (isAtRest(observed.input)) this.#certificates.keep(key, cluster, observed.security);
    else this.#certificates.forget(key);
    return observed;
  }

  #forgetRead(cluster: string): void {
    this.#certificates.forget(cluster);
    this.#checked.forget(cluster);
  }

  async #decide(
    request: Request,
    observed: ObservedCluster,
    service: ClusterService,
    context: PassContext,
  ): Promise<PassResult> {
    const { registry, signal, log, events } = context;
    const { cluster, input } = observed;
    const labels = labelsOf(request);
    const decision = nextAction(input);
    // The permission was for one recovery. It is removed before the recovery is over: after a crash in between it would
    // allow another one.
    const isRecovered = input.recorded.recovery !== undefined && decision.recorded.recovery === undefined;
    if (isRecovered && input.wanted.recoverFrom !== undefined) {
      await service.removeRecoveryAnnotation(cluster);
      return { requeueAfterMs: 0, cluster };
    }
    // The intent is written before the act, and a former leader's is refused before it acts.
    const isLast = decision.action?.do === 'removeFinalizer';
    const status = statusOf(cluster, input, decision);
    const written = isLast ? cluster : await this.#writeStatus(request, context, cluster, status);
    // It was deleted, or that was a stale read: the next pass finds out.
    if (written === undefined) return { requeueAfterMs: this.#options.settings.busyMs, cluster };
    for (const { type, reason, message } of decision.events) events?.record(cluster, type, reason, message);
    this.#options.monitoring.observed(labels, input);
    if (decision.action === undefined) return { requeueAfterMs: decision.requeueAfterMs, cluster: written };
    await registry.checkFence();
    const { do: what, why } = decision.action;
    const refused = await service.perform(observed, decision.action, signal);
    if (refused !== undefined && what === 'enlargeVolume') {
      this.#refusals.add(request.key, cluster, refused, this.#options.clock.now());
    }
    const fields = { action: what, why, ...('slot' in decision.action ? { slot: decision.action.slot } : {}) };
    // etcd refuses changes of the membership for seconds after the previous one; that is not worth a line each time.
    if (refused === undefined) log.write('info', 'action taken', fields);
    else log.write('debug', 'action refused; retrying', { ...fields, answer: refused });
    this.#options.monitoring.acted(labels, what, refused === undefined, this.#options.clock.now());
    if (refused !== undefined) return { requeueAfterMs: decision.requeueAfterMs, cluster: written };
    const { afterwards } = decision;
    if (afterwards === undefined) return { requeueAfterMs: 0, cluster: written };
    const done = statusOf(written, input, { ...decision, recorded: afterwards });
    return { requeueAfterMs: 0, cluster: (await this.#writeStatus(request, context, written, done)) ?? written };
  }

  /**
   * Nothing is written if nothing changed: a write would start the next pass. Returns the cluster with its status;
   * undefined if it was deleted meanwhile: there is nothing left to report, and nothing may be created for it.
   */
  async #writeStatus(
    { key }: Request,
    { registry, events }: PassContext,
    cluster: EtcdCluster,
    status: EtcdClusterStatus,
  ): Promise<EtcdCluster | undefined> {
    if (deepEqual(cluster.status, status)) return cluster;
    const { metadata } = cluster;
    this.seats.forget(key);
    try {
      const { resourceVersion } = metadata;
      const clusters = registry.resource(EtcdCluster);
      const written = await clusters.updateStatus({ metadata, status }, { resourceVersion });
      this.seats.keep(key, written);
      for (const { type, reason, message } of transitions(cluster.status, status)) {
        events?.record(cluster, type, reason, message);
      }
      return written;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      return undefined;
    }
  }
}

/** Whether there is nothing to do, to record, to wait for or to complain about. */
function isAtRest(input: PassInput): boolean {
  const { action, waiting, problem, recorded } = nextAction(input);
  return !action && !waiting && !problem && deepEqual(recorded, input.recorded);
}

function nameOf({ namespace = NAMESPACE_DEFAULT, name }: ObjectName): string {
  return `${namespace}/${name}`;
}

function labelsOf({ namespace, name }: Request): ClusterLabels {
  return { namespace, cluster: name };
}
