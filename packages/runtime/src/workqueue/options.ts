/** Validation of queue options: a NaN inside a heap would lose keys silently. */
import { ApiError } from '../api/errors.ts';

export const priorityMax = 1_000_000;

export interface QueueTuning {
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  readonly ageingMs: number;
}

export function checkTuning({ backoffMsMin, backoffMsMax, ageingMs }: QueueTuning): QueueTuning {
  for (const [name, value] of Object.entries({ backoffMsMin, backoffMsMax, ageingMs })) {
    if (!(value > 0 && Number.isFinite(value))) throw refused(name, 'a number of milliseconds above 0', value);
  }
  if (backoffMsMax < backoffMsMin)
    throw refused('backoffMsMax', `at least backoffMsMin (${backoffMsMin})`, backoffMsMax);
  return { backoffMsMin, backoffMsMax, ageingMs };
}

export function checkAdd(priority: number, afterMs: number): void {
  if (!(Math.abs(priority) <= priorityMax))
    throw refused('priority', `from -${priorityMax} to ${priorityMax}`, priority);
  if (!Number.isFinite(afterMs)) throw refused('afterMs', 'a finite number of milliseconds', afterMs);
}

function refused(name: string, expected: string, value: number): ApiError {
  return new ApiError('BadRequest', { reason: `${name} must be ${expected}, not ${value}` });
}
