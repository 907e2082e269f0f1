/**
 * Writes events in batches. Recording never blocks and never fails, because nothing may depend on an event: events wait
 * in a bounded buffer, which counts repeated and combines similar ones, and are dropped, counted and logged if they cannot
 * be written.
 */
import { isApiError } from '../api/errors.ts';
import type { InputOf, ObjectOf } from '../api/kind.ts';
import { Backoff } from '../lib/backoff.ts';
import type { StandardMetrics } from '../manager/standard-metrics.ts';
import { sleep, timestampAt } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import { redactText } from '../redact/text.ts';
import type { ObjectChange, Registry } from '../registry/contract.ts';
import { changeOne } from './change-one.ts';
import { countOf, Event } from './event.ts';
import { BATCH_EVENTS_MAX, type BufferedEvent, EventBuffer, type Regarding } from './event-buffer.ts';
import { type EventBounds, eventBoundsDefault, pruneEvents } from './event-pruner.ts';

export interface RecorderOptions {
  readonly registry: Registry;
  /** The name of the recording controller. */
  readonly source: string;
  readonly log?: Log;
  /** Counts dropped events. Default: none. */
  readonly metrics?: StandardMetrics;
  /** Maximum number of events in the registry, of all recorders. Default 5,000; the oldest are deleted first. */
  readonly eventsMax?: number;
  /** Events older than this are deleted. Default one hour. */
  readonly ageMsMax?: number;
}

/** Number of new events between two prunes. */
const pruneEvery = 50;
/** Events wait this long for others, to be written with one commit. */
const gatherMs = 50;
/** Attempts to write a batch while the store is unavailable: 3 to 6 seconds. */
const attemptsMax = 6;
const retryMsMin = 200;
const retryMsMax = 3_000;
/** Minimum interval between two log lines about dropped events. */
const dropLogMs = 10_000;

type EventChange = ObjectChange<ObjectOf<typeof Event>, InputOf<typeof Event>>;

/** Errors that one event can cause for the whole batch. */
const contentErrors = ['Invalid', 'BadRequest', 'TooLarge', 'Corrupt'] as const;

export class EventRecorder {
  readonly #registry: Registry;
  readonly #source: string;
  readonly #log: Log;
  readonly #bounds: EventBounds;
  readonly #countDropped: (count: number) => void;
  readonly #buffer = new EventBuffer();
  /** Resolves when the last scheduled batch has been written or dropped. */
  #turn: Promise<void> = Promise.resolve();
  #isScheduled = false;
  /** Ends the wait for further events. */
  #gathering: AbortController | undefined;
  #flushes = 0;
  #createdSincePrune = pruneEvery - 1;
  #droppedSinceLog = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    registry,
    source,
    log = silentLog,
    metrics,
    eventsMax = eventBoundsDefault.eventsMax,
    ageMsMax = eventBoundsDefault.ageMsMax,
  }: RecorderOptions) {
    this.#registry = registry;
    this.#source = source;
    this.#log = log;
    this.#bounds = { eventsMax, ageMsMax };
    const dropped = metrics?.eventsDropped(source);
    this.#countDropped = (count) => dropped?.increment(count);
  }

  record(regarding: Regarding, type: 'Normal' | 'Warning', reason: string, text: string): void {
    const message = redactText(text);
    const timeMs = this.#registry.clock.now();
    const isKept = this.#buffer.add({ regarding, type, reason, message, source: this.#source, timeMs });
    if (isKept) this.#schedule();
    else this.#drop(1, { cause: 'the buffer is full', reason, message });
  }

  /** Resolves when all events recorded so far have been written or dropped. */
  async flush(): Promise<void> {
    const { newest } = this.#buffer;
    this.#flushes++;
    this.#gathering?.abort();
    while (this.#buffer.oldest <= newest) await this.#turn;
    await this.#turn;
    this.#flushes--;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#turn = this.#turn.then(async () => {
      await this.#gather();
      this.#isScheduled = false;
      const batch = this.#buffer.take();
      if (this.#buffer.size > 0) this.#schedule();
      await this.#write(batch);
      await this.#prune();
    });
  }

  async #gather(): Promise<void> {
    if (this.#flushes > 0 || this.#buffer.size >= BATCH_EVENTS_MAX) return;
    const gathering = new AbortController();
    this.#gathering = gathering;
    await sleep(this.#registry.clock, gatherMs, gathering.signal);
    this.#gathering = undefined;
  }

  /** Never rejects. */
  async #write(batch: readonly BufferedEvent[]): Promise<void> {
    const { clock, random, capabilities } = this.#registry;
    if (batch.length > 1 && !capabilities.multiKey) return this.#writeEach(batch);
    const backoff = new Backoff(random, retryMsMin, retryMsMax);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#commit(batch);
        return;
      } catch (error) {
        if (batch.length > 1 && contentErrors.some((code) => isApiError(error, code))) return this.#writeEach(batch);
        if (!isApiError(error) || error.retry !== 'retry' || attempt === attemptsMax) {
          const { reason, message } = batch[0]?.last ?? {};
          this.#drop(batch.length, { cause: 'the events could not be written', reason, message, error });
          return;
        }
        await sleep(clock, backoff.next());
      }
    }
  }

  async #writeEach(batch: readonly BufferedEvent[]): Promise<void> {
    for (const event of batch) await this.#write([event]);
  }

  async #commit(batch: readonly BufferedEvent[]): Promise<void> {
    const created = new Set<string>();
    const byKey = new Map(batch.map((event) => [`${event.namespace}/${event.name}`, event]));
    const change: EventChange = ({ namespace, name }, known) => {
      const event = byKey.get(`${namespace}/${name}`);
      if (!event) return undefined;
      if (known) created.delete(name);
      else created.add(name);
      const { last, count, firstMs } = event;
      const { type, reason, message, source } = last;
      const { apiVersion, kind, metadata } = last.regarding;
      const lastTimestamp = timestampAt(last.timeMs);
      if (known) {
        const fields = { ...Event.fieldsOf(known), message, count: countOf(known) + count, lastTimestamp };
        return Event.input(known.metadata, fields);
      }
      return Event.input(
        { name, namespace },
        {
          involvedObject: { apiVersion, kind, ...placeOf(metadata), uid: metadata.uid },
          type,
          reason,
          message,
          source: { component: source },
          reportingComponent: source,
          count,
          firstTimestamp: timestampAt(firstMs),
          lastTimestamp,
        },
      );
    };
    const { multiKey } = this.#registry.capabilities;
    if (multiKey) await multiKey.resource(Event).changeAll(batch, change);
    else for (const event of batch) await changeOne(this.#registry.resource(Event), event, change);
    this.#createdSincePrune += created.size;
  }

  /**
   * Never rejects: a failed prune is repeated with a later batch. A server that cleans up by itself also removes old
   * events, and most of its events are not of this program.
   */
  async #prune(): Promise<void> {
    if (this.#createdSincePrune < pruneEvery || !this.#registry.capabilities.garbage) return;
    this.#createdSincePrune = 0;
    try {
      await pruneEvents(this.#registry, this.#bounds);
    } catch (error) {
      this.#log.write('debug', 'old events could not be removed; retrying with a later batch', { error });
    }
  }

  #drop(count: number, fields: Readonly<Record<string, unknown>>): void {
    this.#countDropped(count);
    this.#droppedSinceLog += count;
    const nowMs = this.#registry.clock.monotonicMs();
    if (nowMs - this.#loggedAtMs < dropLogMs) return;
    this.#log.write('warn', 'events were dropped', { source: this.#source, dropped: this.#droppedSinceLog, ...fields });
    this.#loggedAtMs = nowMs;
    this.#droppedSinceLog = 0;
  }
}

function placeOf({ name, namespace }: Regarding['metadata']): { readonly namespace?: string; readonly name: string } {
  return namespace === undefined ? { name } : { namespace, name };
}
