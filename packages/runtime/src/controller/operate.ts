/**
 * `operate` runs the passes over the objects of a kind. An operator says what differs from kind to kind: when a pass runs
 * (`triggers`), what is read (`observe`), what follows from it (`decide`), and how one step is performed (`act`). The pass:
 *
 * 1. The object is read. A read that is older than the change that caused the pass, or than a write of this process, fails.
 * 2. An object that is being deleted and does not have the finalizer is left alone. An invalid spec ends the pass with the
 *    status of `report`.
 * 3. `observe` and `decide`. What was observed from a cache may confirm that there is nothing to do, but never justifies a
 *    step: then both are called again, without the cache.
 * 4. The status and a missing finalizer are stored in one commit, at the version that was read. From here on a process that
 *    continues after a crash finds the intent.
 * 5. Each step: the fence is checked, so that a former leader does not act, and `act` is called. The first step that was not
 *    done ends the pass. `report` may store what happened.
 * 6. If the finalizer is not needed any more (`hold: false`) and every step was done, it is removed, at that version.
 *
 * The guarantee: as long as something may exist outside of the registry, the object is kept, and its status says what was
 * intended. Each function may be called again at any time; an error of any of them is retried with backoff.
 */

import { ApiError, type FieldError, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { deepEqual } from '../api/merge.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Runnable } from '../manager/runnable.ts';
import { isAbort } from '../manager/within.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { keyOf } from '../registry/keys.ts';
import type { WorkQueue } from '../workqueue/queue.ts';
import type { ControllerContext, ControllerOptions, ReconcileContext, Request } from './contract.ts';
import { Controller } from './controller.ts';
import type { ReconcileResult } from './outcome.ts';
import { currentReads } from './own-writes.ts';
import type { Predicate } from './predicate.ts';
import { EventRecorder } from './recorder.ts';
import type { ObjectName, Watch } from './source.ts';

/** An operator of one kind. `Memory` is what a process remembers of an object between passes: only ever a cache. */
export interface Operator<Spec, Status, SpecInput, StatusInput, Facts, Step extends PlannedStep, Memory> {
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  /** Kept on the object as long as `decide` holds it. Default: none; then objects that are being deleted are left alone. */
  readonly finalizer?: string;
  /** At least one has `changes`. */
  readonly triggers: readonly Trigger<Spec, Status>[];
  /** Reads what the decision depends on, and writes nothing. */
  observe(object: ApiObject<Spec, Status>, pass: Pass<Memory>): Promise<Facts>;
  /** A pure function: no reads, no clock. */
  decide(object: ApiObject<Spec, Status>, facts: Facts, nowMs: number): Decision<Status, Step>;
  /** Performs one step. `object` has the status that was written. An error counts as unknown: the next pass observes. */
  act(step: Step, object: ApiObject<Spec, Status>, facts: Facts, pass: Pass<Memory>): Promise<StepResult>;
  /**
   * A pure function, called after steps and for an invalid spec: what is to be said about what happened. The status is
   * dropped if the object has changed meanwhile. For an invalid spec, undefined lets the pass continue; without `report` it
   * ends with a terminal error.
   */
  report?(
    object: ApiObject<Spec, Status>,
    happened: Happened<Status, Step, Facts>,
    nowMs: number,
  ): Report<Status> | undefined;
  /**
   * Called at the end of a pass, when everything was stored, and before a finalizer that is not needed is removed: for what
   * the process remembers. Not called if the pass has failed.
   */
  ended?(object: ApiObject<Spec, Status>, happened: Ended<Status, Step, Facts>, pass: Pass<Memory>): void;
  /**
   * There is no such object: cleans up what arrived late, after the fence was checked. Returns the delay after which it is
   * called again; undefined: only after a change.
   */
  gone?(pass: Pass<Memory>): Promise<number | undefined>;
}

/** When a pass runs. The name is the reason of the pass in logs. */
export interface Trigger<Spec, Status> {
  readonly name: string;
  /** Which changes of the kind cause a pass; an empty list: all of them. Default: none. */
  readonly changes?: readonly Predicate[];
  /** Other kinds whose changes cause a pass. */
  readonly watches?: readonly Watch[];
  /** Delay until the next pass after one has ended, in milliseconds. `object` has the status that was written. */
  every?(object: ApiObject<Spec, Status>, nowMs: number): number | undefined;
  /** Runs beside the passes and enqueues objects; its signal aborts when no pass is in flight any more. */
  run?(enqueue: Enqueue, context: ControllerContext): Promise<void>;
}

export type Enqueue = (
  object: ObjectName,
  options?: { readonly reason?: string; readonly priority?: number; readonly afterMs?: number },
) => void;

/** What `decide` returns. */
export interface Decision<Status, Step> {
  /** The intent, stored before the first step. The stored one if a difference is not worth a write. */
  readonly status: Status | undefined;
  /**
   * Steps that only write the registry, such as a revision: performed while the status is stored, before the steps. One
   * that is not done ends the pass with an error.
   */
  readonly records?: readonly Step[];
  readonly steps?: readonly Step[];
  /** Recorded when the status is stored. */
  readonly events?: readonly PlannedEvent[];
  /** Whether the finalizer is needed. Default true; false: it is removed after the steps. */
  readonly hold?: boolean;
  /** Delay until the next pass. Default: only after a change; 0 after steps. */
  readonly requeueAfterMs?: number;
}

export interface PlannedStep {
  /** The name of the step, in logs. */
  readonly do: string;
  readonly why?: string;
  /** Recorded when the step is done. */
  readonly event?: PlannedEvent;
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type StepResult =
  | 'done'
  /** It was not done, and will not be if it is asked again at once. */
  | { readonly is: 'refused'; readonly message: string; readonly code?: number }
  /** It may or may not have been done. */
  | { readonly is: 'unknown'; readonly message: string };

/** `code`: of the answer, if it has one. */
export const refused = (message: string, code?: number): StepResult => ({
  is: 'refused',
  message,
  ...(code === undefined ? {} : { code }),
});

export const unknown = (message: string): StepResult => ({ is: 'unknown', message });

export type Happened<Status, Step, Facts> =
  | { readonly is: 'invalid'; readonly errors: readonly FieldError[] }
  | Ended<Status, Step, Facts>;

export interface Ended<Status, Step, Facts> {
  readonly is: 'done' | 'refused' | 'unknown';
  readonly facts: Facts;
  readonly decision: Decision<Status, Step>;
  readonly done: readonly Step[];
  /** The step that was not done. */
  readonly step?: Step;
  /** Of that step; empty if all were done. */
  readonly message: string;
  /** Of the answer that refused it. */
  readonly code?: number;
}

export type Report<Status> = Partial<Pick<Decision<Status, unknown>, 'status' | 'events' | 'requeueAfterMs'>>;

/** One pass, for `observe`, `act` and `gone`. */
export interface Pass<Memory> extends Request {
  /** Fenced if there is a leader. Its reads are not older than its writes. */
  readonly registry: Registry;
  /** Aborts after the timeout of the pass, or after the grace of a stop. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Whether `observe` may use what was read before; if it does, it calls `usedCache`. */
  readonly mayUseCache: boolean;
  /** Throws `Internal` if it may not. */
  usedCache(): void;
  /** Kept until the object, the leader's term or the process ends. */
  readonly memory: Partial<Memory>;
  /** Records an event about the object. */
  record(event: PlannedEvent): void;
  /** `close` is called when what was observed is not needed any more. */
  defer(close: () => void | Promise<void>): void;
}

export interface OperateOptions
  extends Pick<
    ControllerOptions<unknown, unknown, unknown, unknown>,
    'namespace' | 'workers' | 'timeoutMs' | 'graceMs' | 'syncMsMax' | 'queue' | 'initialPriority' | 'log' | 'metrics'
  > {
  /** Default: the kind in lower case. */
  readonly name?: string;
  /** The source of events. Default: the name. */
  readonly eventSource?: string;
}

/** What `operate` returns: a runnable of a manager. */
export interface Operation<Spec, Status, Facts, Step, Memory> extends Runnable {
  readonly graceMs: number;
  run(context: ControllerContext): Promise<void>;
  ready(): string | undefined;
  /** Undefined while it does not run. */
  readonly queue: WorkQueue | undefined;
  /** Enqueues an object; does nothing while it does not run. */
  readonly enqueue: Enqueue;
  /** One pass over an object, as the queue causes it: for tests. */
  reconcile(request: Request, context: ReconcileContext<Spec, Status>): Promise<ReconcileResult>;
  /** What is remembered of an object; undefined if nothing is. */
  memoryOf(object: ObjectName): Partial<Memory> | undefined;
  /** What a pass would do now. Reads everything and writes nothing. Throws `NotFound`. */
  plan(registry: Registry, object: ObjectName, signal: AbortSignal): Promise<Planned<Spec, Status, Facts, Step>>;
}

export interface Planned<Spec, Status, Facts, Step> {
  readonly object: ApiObject<Spec, Status>;
  readonly facts: Facts;
  readonly decision: Decision<Status, Step>;
}

/** Backoff after a refused step; a change of the object or a trigger is not held up by it. */
const refusedMsMin = 5_000;
const refusedMsMax = 300_000;
/** Delay after a step whose outcome is unknown. */
const unknownMs = 2_000;
/** Delay after a write to an object that was gone: it was deleted, or that was a stale read. */
const missingMs = 1_000;

export function operate<
  Spec,
  Status,
  SpecInput,
  StatusInput,
  Facts,
  Step extends PlannedStep,
  Memory = Record<never, never>,
>(
  operator: Operator<Spec, Status, SpecInput, StatusInput, Facts, Step, Memory>,
  options: OperateOptions = {},
): Operation<Spec, Status, Facts, Step, Memory> {
  return new PassLoop(operator, options);
}

interface Known<Memory> {
  readonly uid: string | undefined;
  readonly memory: Partial<Memory>;
  /** Generation of the spec that was found valid; undefined for kinds without generations, -1 before. */
  validGeneration: number | undefined;
  /** Passes that ended with a refused step, since everything was done or the spec has changed. */
  refusals: number;
}

class PassLoop<Spec, Status, SpecInput, StatusInput, Facts, Step extends PlannedStep, Memory>
  implements Operation<Spec, Status, Facts, Step, Memory>
{
  readonly name: string;
  readonly #operator: Operator<Spec, Status, SpecInput, StatusInput, Facts, Step, Memory>;
  readonly #options: OperateOptions;
  readonly #controller: Controller<Spec, Status, SpecInput, StatusInput>;
  readonly #known = new Map<string, Known<Memory>>();
  #events: EventRecorder | undefined;

  constructor(operator: Operator<Spec, Status, SpecInput, StatusInput, Facts, Step, Memory>, options: OperateOptions) {
    const { kind, triggers } = operator;
    const { name = kind.kind.toLowerCase(), eventSource: _, ...common } = options;
    this.name = name;
    this.#operator = operator;
    this.#options = options;
    const own = triggers.flatMap((trigger) =>
      trigger.changes ? [{ kind, predicates: trigger.changes, reason: trigger.name }] : [],
    );
    if (own.length === 0) throw new ApiError('BadRequest', { reason: `no trigger of ${name} has changes` });
    const others = triggers.flatMap((trigger) =>
      (trigger.watches ?? []).map((watch): Watch => ({ ...watch, reason: trigger.name })),
    );
    this.#controller = new Controller({
      ...common,
      name,
      kind,
      watches: [...own, ...others],
      reconcile: (request, context) => this.reconcile(request, context),
    });
  }

  get graceMs(): number {
    return this.#controller.graceMs;
  }

  get queue(): WorkQueue | undefined {
    return this.#controller.queue;
  }

  ready(): string | undefined {
    return this.#controller.ready();
  }

  readonly enqueue: Enqueue = ({ namespace = NAMESPACE_DEFAULT, name }, options) => {
    this.#controller.queue?.add(keyOf(this.#operator.kind, namespace, name), options);
  };

  memoryOf({ namespace = NAMESPACE_DEFAULT, name }: ObjectName): Partial<Memory> | undefined {
    return this.#known.get(keyOf(this.#operator.kind, namespace, name))?.memory;
  }

  async run({ registry, informers, signal }: ControllerContext): Promise<void> {
    const { log = silentLog, metrics, eventSource = this.name } = this.#options;
    this.#known.clear();
    const events = new EventRecorder({ registry, source: eventSource, log, ...(metrics && { metrics }) });
    this.#events = events;
    const context = { registry: currentReads(registry), ...(informers && { informers }) };
    const stopping = new AbortController();
    const ended = new AbortController();
    const either = AbortSignal.any([signal, stopping.signal]);
    const passes = this.#controller.run({ ...context, signal: either }).finally(() => ended.abort());
    const triggering = this.#operator.triggers.map(async (trigger) => {
      const enqueue: Enqueue = (object, options) => this.enqueue(object, { reason: trigger.name, ...options });
      try {
        await trigger.run?.(enqueue, { ...context, signal: ended.signal });
      } catch (error) {
        if (isAbort(error, ended.signal)) return;
        stopping.abort();
        throw error;
      }
    });
    try {
      const failed = (await Promise.allSettled([passes, ...triggering])).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    } finally {
      this.#events = undefined;
      await events.flush();
    }
  }

  async plan(
    registry: Registry,
    { namespace = NAMESPACE_DEFAULT, name }: ObjectName,
    signal: AbortSignal,
  ): Promise<Planned<Spec, Status, Facts, Step>> {
    const { kind } = this.#operator;
    const object = await registry.resource(kind).get(name, { namespace });
    const request = { key: keyOf(kind, object.metadata.namespace, name), namespace: object.metadata.namespace, name };
    const pass = newPass<Memory>(request, { registry, signal, log: silentLog }, {}, () => {});
    pass.mayUseCache = false;
    try {
      const facts = await this.#operator.observe(object, pass);
      return { object, facts, decision: this.#operator.decide(object, facts, registry.clock.now()) };
    } finally {
      await pass.close();
    }
  }

  async reconcile(request: Request, context: ReconcileContext<Spec, Status>): Promise<ReconcileResult> {
    const object = await context.get();
    const known = this.#remember(request.key, object?.metadata.uid);
    const pass = newPass(request, context, known.memory, ({ type, reason, message }) => {
      if (object) this.#events?.record(object, type, reason, message);
    });
    try {
      return object === undefined ? await this.#gone(pass) : await this.#pass(object, known, pass);
    } finally {
      await pass.close();
    }
  }

  /** Memory of a former object of the same name is dropped. A deleted object keeps its memory until `gone` ends. */
  #remember(key: string, uid: string | undefined): Known<Memory> {
    const known = this.#known.get(key);
    if (known !== undefined && (uid === undefined || known.uid === uid)) return known;
    const fresh: Known<Memory> = { uid, memory: {}, validGeneration: -1, refusals: 0 };
    this.#known.set(key, fresh);
    return fresh;
  }

  async #gone(pass: CurrentPass<Memory>): Promise<ReconcileResult> {
    if (this.#operator.gone) await pass.registry.checkFence();
    const delayMs = await this.#operator.gone?.(pass);
    if (delayMs === undefined) this.#known.delete(pass.key);
    return resultOf(delayMs);
  }

  async #pass(
    object: ApiObject<Spec, Status>,
    known: Known<Memory>,
    pass: CurrentPass<Memory>,
  ): Promise<ReconcileResult> {
    const { finalizer } = this.#operator;
    const { deletionTimestamp, finalizers = [], generation } = object.metadata;
    const isDeleting = deletionTimestamp !== undefined;
    const isHeld = finalizer !== undefined && finalizers.includes(finalizer);
    if (isDeleting && !isHeld) return undefined;
    if (!isDeleting && known.validGeneration !== generation) {
      const errors = this.#operator.kind.validate(object);
      const report = errors.length === 0 ? undefined : this.#reportOfInvalid(object, errors, pass);
      if (report !== undefined) {
        const reported = await this.#store(object, report.status, pass);
        if (reported === undefined) return { requeueAfterMs: missingMs };
        for (const event of report.events ?? []) pass.record(event);
        return resultOf(report.requeueAfterMs);
      }
      known.validGeneration = generation;
      known.refusals = 0;
    }

    const { facts, decision } = await this.#decide(object, isHeld, pass);
    const { records = [], steps = [], events = [], hold = true } = decision;
    const isReleased = isHeld && !hold;
    const isLast = isDeleting && isReleased && steps.length === 0;
    // Both are awaited: nothing may be in flight when the pass ends.
    const [recorded, intent] = await Promise.allSettled([
      this.#write(records, object, facts, pass),
      isLast
        ? object
        : this.#store(object, decision.status, pass, isDeleting || isHeld || !hold ? undefined : finalizer),
    ]);
    if (intent.status === 'rejected') throw intent.reason;
    if (recorded.status === 'rejected') throw recorded.reason;
    const written = intent.value;
    // It was deleted, or that was a stale read: nothing may be done for it before that is known.
    if (written === undefined) return { requeueAfterMs: missingMs };
    for (const event of events) pass.record(event);

    if (steps.length === 0) {
      known.refusals = 0;
      this.#operator.ended?.(written, { is: 'done', facts, decision, done: [], message: '' }, pass);
      return this.#end(written, isReleased, decision.requeueAfterMs, pass);
    }
    const performed = await this.#perform(steps, written, facts, pass);
    const happened = { ...performed, facts, decision };
    const report = this.#operator.report?.(written, happened, pass.registry.clock.now());
    const reported = await this.#report(written, report, pass);
    if (reported === undefined) return { requeueAfterMs: missingMs };
    this.#operator.ended?.(reported, happened, pass);
    if (performed.is === 'done') {
      known.refusals = 0;
      return this.#end(reported, isReleased, report?.requeueAfterMs ?? decision.requeueAfterMs ?? 0, pass);
    }
    if (performed.is === 'unknown') return this.#end(reported, false, report?.requeueAfterMs ?? unknownMs, pass);
    const { message, step } = performed;
    // Most refusals are repeated ones: each is an event at most, and the first is a line.
    pass.log.write(known.refusals === 0 ? 'info' : 'debug', `${step?.do} was refused`, { error: message });
    const backoff = backoffMs(known.refusals++, refusedMsMin, refusedMsMax);
    return this.#end(reported, false, report?.requeueAfterMs ?? backoff, pass);
  }

  /** Undefined if the pass may continue. */
  #reportOfInvalid(object: ApiObject<Spec, Status>, errors: readonly FieldError[], { name, registry }: Pass<Memory>) {
    const { kind, report } = this.#operator;
    if (report === undefined) throw new ApiError('Invalid', { kind: kind.kind, name, errors });
    return report.call(this.#operator, object, { is: 'invalid', errors }, registry.clock.now());
  }

  /** What leads to a step, or to the end of the object, was read in this pass. */
  async #decide(object: ApiObject<Spec, Status>, isHeld: boolean, pass: CurrentPass<Memory>) {
    const { clock } = pass.registry;
    const look = async () => {
      const facts = await this.#operator.observe(object, pass);
      return { facts, decision: this.#operator.decide(object, facts, clock.now()) };
    };
    const first = await look();
    const { steps = [], hold = true } = first.decision;
    if (!pass.hasUsedCache || (steps.length === 0 && (hold || !isHeld))) return first;
    await pass.close();
    pass.mayUseCache = false;
    return look();
  }

  /**
   * At the version that was read: what was decided on a stale read is a conflict. Returns undefined if there is no such
   * object.
   */
  async #store(
    object: ApiObject<Spec, Status>,
    status: Status | undefined,
    { registry }: Pass<Memory>,
    finalizer?: string,
  ): Promise<ApiObject<Spec, Status> | undefined> {
    const { name, namespace, uid, resourceVersion, finalizers = [] } = object.metadata;
    const isSame = status === undefined || deepEqual(object.status, status);
    if (isSame && finalizer === undefined) return object;
    const resource = registry.resource(this.#operator.kind);
    try {
      if (status === undefined) {
        const patch = { metadata: { finalizers: [...finalizers, ...(finalizer === undefined ? [] : [finalizer])] } };
        return await resource.patch(name, patch, { namespace, uid, resourceVersion, known: object });
      }
      const options = { resourceVersion, known: object, ...(finalizer === undefined ? {} : { finalizer }) };
      return await resource.updateStatus({ metadata: { name, namespace, uid }, status }, options);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      return undefined;
    }
  }

  async #write(records: readonly Step[], object: ApiObject<Spec, Status>, facts: Facts, pass: CurrentPass<Memory>) {
    for (const record of records) {
      const result = await this.#operator.act(record, object, facts, pass);
      if (result !== 'done') throw new ApiError('Unavailable', { what: record.do, reason: result.message });
    }
  }

  /** Performs steps in their order, up to the first that is not done. */
  async #perform(
    steps: readonly Step[],
    object: ApiObject<Spec, Status>,
    facts: Facts,
    pass: CurrentPass<Memory>,
  ): Promise<Performed<Step>> {
    const done: Step[] = [];
    for (const step of steps) {
      if (pass.signal.aborted) {
        throw new ApiError('Unavailable', { what: pass.name, reason: `the pass was aborted before ${step.do}` });
      }
      await pass.registry.checkFence();
      pass.log.write('info', step.do, step.why === undefined ? {} : { why: step.why });
      const result = await this.#operator.act(step, object, facts, pass);
      if (result !== 'done') {
        if (result.is === 'unknown') pass.log.write('debug', `${step.do}: outcome unknown`, { error: result.message });
        return { ...result, done, step };
      }
      done.push(step);
      if (step.event) pass.record(step.event);
    }
    return { is: 'done', done, message: '' };
  }

  /** A status that was overtaken by another write is dropped: the next pass decides on what was written. */
  async #report(
    object: ApiObject<Spec, Status>,
    report: Report<Status> | undefined,
    pass: CurrentPass<Memory>,
  ): Promise<ApiObject<Spec, Status> | undefined> {
    for (const event of report?.events ?? []) pass.record(event);
    try {
      return await this.#store(object, report?.status, pass);
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      return object;
    }
  }

  /** Removes a finalizer that is not needed. `NotFound` is an error: it may be a stale read, and the next pass finds out. */
  async #end(
    object: ApiObject<Spec, Status>,
    isReleased: boolean,
    delayMs: number | undefined,
    pass: CurrentPass<Memory>,
  ): Promise<ReconcileResult> {
    if (!isReleased) return this.#next(object, delayMs, pass);
    const { name, namespace, uid, resourceVersion, finalizers = [], deletionTimestamp } = object.metadata;
    const patch = { metadata: { finalizers: finalizers.filter((other) => other !== this.#operator.finalizer) } };
    const resource = pass.registry.resource(this.#operator.kind);
    const released = await resource.patch(name, patch, { namespace, uid, resourceVersion, known: object });
    return deletionTimestamp === undefined ? this.#next(released, delayMs, pass) : undefined;
  }

  /** When the next pass runs, unless a change causes one before. */
  #next(object: ApiObject<Spec, Status>, delayMs: number | undefined, { registry }: Pass<Memory>): ReconcileResult {
    const nowMs = registry.clock.now();
    let next = delayMs === undefined ? undefined : { requeueAfterMs: delayMs, reason: 'requeued' };
    for (const { name, every } of this.#operator.triggers) {
      const requeueAfterMs = every?.(object, nowMs);
      if (requeueAfterMs === undefined || (next && next.requeueAfterMs <= requeueAfterMs)) continue;
      next = { requeueAfterMs, reason: name };
    }
    return next;
  }
}

function resultOf(requeueAfterMs: number | undefined): ReconcileResult {
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}

/** What came of the steps of a pass. */
type Performed<Step> = Omit<Ended<never, Step, never>, 'facts' | 'decision'>;

interface CurrentPass<Memory> extends Pass<Memory> {
  mayUseCache: boolean;
  hasUsedCache: boolean;
  /** Calls what was deferred, the last one first. One that fails does not keep the others from being called. */
  close(): Promise<void>;
}

function newPass<Memory>(
  request: Request,
  { registry, signal, log }: Pick<ReconcileContext<unknown, unknown>, 'registry' | 'signal' | 'log'>,
  memory: Partial<Memory>,
  record: (event: PlannedEvent) => void,
): CurrentPass<Memory> {
  const closes: (() => void | Promise<void>)[] = [];
  const pass: CurrentPass<Memory> = {
    ...{ ...request, registry, signal, log, memory, record, mayUseCache: true, hasUsedCache: false },
    usedCache() {
      if (!pass.mayUseCache) throw new ApiError('Internal', { reason: `the cache was used again for ${pass.name}` });
      pass.hasUsedCache = true;
    },
    defer: (close) => void closes.push(close),
    async close() {
      for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
        try {
          await close();
        } catch (error) {
          log.write('warn', 'what a pass has observed could not be closed', { error });
        }
      }
    },
  };
  return pass;
}
