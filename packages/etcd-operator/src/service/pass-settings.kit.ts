/** The settings of passes in tests: the defaults of the operator. */
import type { PassSettings } from './model.ts';

export const settings: PassSettings = {
  learnerDeadlineMs: 600_000,
  quorumGraceMs: 60_000,
  restartsMax: 5,
  spaceCycleMs: 600_000,
  busyMs: 1_000,
  restMs: 30_000,
};
