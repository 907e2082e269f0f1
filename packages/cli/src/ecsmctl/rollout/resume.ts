/** `ecsmctl rollout resume`. */
import type { Run } from '@ecsm/command-line';
import { setPaused } from './pause.ts';

export const run: Run = (call) => setPaused(call, false);
