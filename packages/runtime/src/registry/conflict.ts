/** Write conflicts, and retries of writes that do not depend on an earlier read of the caller. */
import { ApiError, isApiError } from '../api/errors.ts';

export const modifiedReason = 'the object has been modified; read it again and repeat the change';

const attemptsMax = 50;

/** Another writer committed first. A failed precondition of the caller is a plain `Conflict` and is not retried. */
export class WriteConflict extends ApiError<'Conflict'> {
  constructor(kind: string, name: string) {
    super('Conflict', { kind, name, reason: modifiedReason });
  }
}

/** Repeats the read and the write after a write conflict, a bounded number of times. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isConflict = error instanceof WriteConflict || isApiError(error, 'AlreadyExists');
      if (!isConflict || attempts === attemptsMax) throw error;
    }
  }
}
