/**
 * Reads of changed objects, shared by the handlers of one informer. Several controllers look at each change, at the same
 * time: one read answers all of them.
 */
import type { ApiObject } from '../api/object.ts';

type AnyObject = ApiObject<unknown, unknown>;

export class SharedReads {
  readonly #inFlight = new Map<string, Promise<AnyObject>>();

  /**
   * Calls `read`, unless a read for the same version of the key is in flight: its result is not older, because it began
   * after that version was observed. Rejects for every caller if the read fails.
   */
  read(key: string, version: string, read: () => Promise<AnyObject>): Promise<AnyObject> {
    const place = `${version} ${key}`;
    const inFlight = this.#inFlight.get(place);
    if (inFlight !== undefined) return inFlight;
    const started = read().finally(() => this.#inFlight.delete(place));
    this.#inFlight.set(place, started);
    return started;
  }
}
