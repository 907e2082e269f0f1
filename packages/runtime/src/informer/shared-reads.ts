/**
 * Reads of changed objects, shared by the handlers of one informer. Several controllers look at each change, at the same
 * time: one read answers all of them. A version that this process has written need not be read at all.
 */
import type { ApiObject } from '../api/object.ts';

type AnyObject = ApiObject<unknown, unknown>;

/** Written objects that wait for their change: it follows within milliseconds. Without room, the oldest is read instead. */
const writtenMax = 64;

export class SharedReads {
  readonly #inFlight = new Map<string, Promise<AnyObject>>();
  /** In the order of the writes. */
  readonly #written = new Map<string, AnyObject>();

  /** An object that was just written: the next read of that version returns it. */
  offer(key: string, object: AnyObject): void {
    this.#written.set(placeOf(key, object.metadata.resourceVersion), object);
    if (this.#written.size <= writtenMax) return;
    for (const oldest of this.#written.keys()) {
      this.#written.delete(oldest);
      return;
    }
  }

  /**
   * Calls `read`, unless a read for the same version of the key is in flight: its result is not older, because it began
   * after that version was observed. Rejects for every caller if the read fails.
   */
  read(key: string, version: string, read: () => Promise<AnyObject>): Promise<AnyObject> {
    const place = placeOf(key, version);
    const inFlight = this.#inFlight.get(place);
    if (inFlight !== undefined) return inFlight;
    const written = this.#written.get(place);
    this.#written.delete(place);
    const started = (written === undefined ? read() : Promise.resolve(written)).finally(() =>
      this.#inFlight.delete(place),
    );
    this.#inFlight.set(place, started);
    return started;
  }
}

function placeOf(key: string, version: string): string {
  return `${version} ${key}`;
}
