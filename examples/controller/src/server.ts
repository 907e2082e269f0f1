/** The external system: a server of databases. The one here is in memory; a real one is called over a network. */
import { ApiError } from '@ecsm/runtime';

/**
 * A dropped id is never used again: a request that arrives late is refused, so that nothing is left behind when the object is
 * deleted. With another server, list it from time to time and drop what has no object.
 */
export type Found = { readonly sizeGB: number } | 'dropped' | undefined;

export interface DatabaseServer {
  find(id: string, signal: AbortSignal): Promise<Found>;
  /** Creates or resizes a database. Throws `BadRequest` if the server refuses. */
  put(id: string, sizeGB: number, signal: AbortSignal): Promise<void>;
  drop(id: string, signal: AbortSignal): Promise<void>;
}

const sizeGBMax = 100;

export class MemoryServer implements DatabaseServer {
  readonly contents = new Map<string, Exclude<Found, undefined>>();

  async find(id: string): Promise<Found> {
    return this.contents.get(id);
  }

  async put(id: string, sizeGB: number): Promise<void> {
    if (sizeGB > sizeGBMax) throw new ApiError('BadRequest', { reason: `the server has ${sizeGBMax} GB` });
    if (this.contents.get(id) === 'dropped') throw new ApiError('BadRequest', { reason: `${id} was dropped` });
    this.contents.set(id, { sizeGB });
  }

  async drop(id: string): Promise<void> {
    this.contents.set(id, 'dropped');
  }
}
