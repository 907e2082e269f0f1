/** `ecsmctl rollout resume`. */
import type { Run } from '@ecsm/command-line';
import { setPaused } from './rollout-pause.ts';

export const run: Run = (call) => setPaused(call, false);
