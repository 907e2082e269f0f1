/** A write that another writer overtook, and what to do then where it does not depend on what was read before. */
import { ApiError, isApiError } from '../api/errors.ts';

export const modified = 'the object has been modified; read it again and repeat the change';

const attemptsMax = 50;

/** The conflict of a write that was overtaken, as opposed to one with what the caller demanded. */
export class Overtaken extends ApiError<'Conflict'> {
  constructor(kind: string, name: string) {
    super('Conflict', { kind, name, reason: modified });
  }
}

/** Reads and tries again when another writer was faster, a bounded number of times. */
export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const overtaken = error instanceof Overtaken || isApiError(error, 'AlreadyExists');
      if (!overtaken || attempts === attemptsMax) throw error;
    }
  }
}
