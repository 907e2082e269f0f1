/**
 * Writes events. Recording never waits and never fails: an event that cannot be written is logged and forgotten, because
 * nothing may depend on it. Near-identical events (the same but for numbers) are one object with a count.
 */
import { isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import { timestampAt } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/registry.ts';
import { Event } from './event.ts';

export interface RecorderOptions {
  readonly registry: Registry;
  /** Who records: the name of a controller. */
  readonly source: string;
  readonly log?: Log;
  /** Events kept in the registry, of all recorders. Default 1,000; the oldest go first. */
  readonly eventsMax?: number;
  /** Events older than this go. Default one hour. */
  readonly ageMsMax?: number;
}

/** Events that wait to be written. A store that is slow must not fill the memory: more than that are dropped. */
const waitingMax = 500;
const messageLengthMax = 1024;
/** How many new events there are between two looks for old ones. */
const pruneEvery = 50;

type Regarding = Pick<ApiObject<unknown, unknown>, 'apiVersion' | 'kind'> & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
};

export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #log: Log;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #created = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
  }

  record(regarding: Regarding, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#waiting >= waitingMax) {
      this.#log.write('warn', 'an event was dropped: too many wait to be written', { reason, message });
      return;
    }
    this.#waiting++;
    this.#turn = this.#turn.then(async () => {
      try {
        await this.#write(regarding, type, reason, message.slice(0, messageLengthMax));
      } catch (error) {
        this.#log.write('warn', 'an event could not be written', { reason, message, error: String(error) });
      } finally {
        this.#waiting--;
      }
    });
  }

  /** Resolves when everything recorded so far has been written or given up. */
  async flush(): Promise<void> {
    await this.#turn;
  }

  async #write(
    { apiVersion, kind, metadata }: Regarding,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): Promise<void> {
    const { registry, source } = this.#options;
    const events = registry.resource(Event);
    const { namespace, uid, name } = metadata;
    // Retries and sizes differ from one time to the next; the event is the same.
    const identity = digest([uid, type, reason, source, message.replace(/[0-9]+/g, '#')].join('\n'));
    const eventName = `${name.slice(0, 40)}-${identity}`;
    const now = timestampAt(registry.clock.now());
    const regarding = { apiVersion, kind, name, uid };
    const first = { regarding, type, reason, message, source, count: 1, firstTimestamp: now, lastTimestamp: now };
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        const known = await events.get(eventName, { namespace });
        await events.update({
          ...known,
          spec: { ...known.spec, message, count: known.spec.count + 1, lastTimestamp: now },
        });
        return;
      } catch (error) {
        if (isApiError(error, 'Conflict')) continue;
        if (!isApiError(error, 'NotFound')) throw error;
      }
      try {
        await events.create({ metadata: { name: eventName, namespace }, spec: first });
        if (this.#created++ % pruneEvery === 0) await this.#prune();
        return;
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      }
    }
  }

  /**
   * Removes what is too old, and the oldest of what is too many. Whatever was written earlier has the lower revision, so
   * the oldest are found without reading the others.
   */
  async #prune(): Promise<void> {
    const { registry, eventsMax = 1_000, ageMsMax = 3_600_000 } = this.#options;
    const oldest = timestampAt(registry.clock.now() - ageMsMax);
    const { keys, revisions } = await registry.resource(Event).versions();
    const byAge = keys
      .map((key, index) => ({ key, revision: revisions[index] ?? 0 }))
      .sort((one, other) => one.revision - other.revision);
    const surplus = byAge.length - eventsMax;
    for (const [index, { key, revision }] of byAge.entries()) {
      const isOld = index < surplus || (await this.#isOlder(key, oldest));
      if (!isOld) return;
      await this.#remove(key, revision);
    }
  }

  async #isOlder(key: string, oldest: string): Promise<boolean> {
    const { registry } = this.#options;
    const { name = '', namespace = '' } = registry.locate(key) ?? {};
    try {
      return (await registry.resource(Event).get(name, { namespace })).spec.lastTimestamp < oldest;
    } catch (error) {
      // Somebody else has removed it, or it cannot be read: neither keeps us from looking at the next.
      if (isApiError(error, 'NotFound') || isApiError(error, 'Corrupt')) return true;
      throw error;
    }
  }

  async #remove(key: string, revision: number): Promise<void> {
    const { registry } = this.#options;
    const { name = '', namespace = '' } = registry.locate(key) ?? {};
    try {
      await registry.resource(Event).delete(name, { namespace, resourceVersion: String(revision) });
    } catch (error) {
      // One that has just happened again is not old any more.
      if (!isApiError(error, 'Conflict') && !isApiError(error, 'Corrupt')) throw error;
    }
  }
}

/** FNV-1a, twice with different starts: enough to tell a thousand events apart, in 14 letters of a name. */
function digest(text: string): string {
  const halves = [0x811c9dc5, 0x01000193].map((start) => {
    let hash = start;
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return (hash >>> 0).toString(36).padStart(7, '0');
  });
  return halves.join('');
}
