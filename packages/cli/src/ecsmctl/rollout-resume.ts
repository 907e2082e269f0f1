/** `ecsmctl rollout resume`. */
import type { Run } from '../shell/command.ts';
import { setPaused } from './rollout-pause.ts';

export const run: Run = (call) => setPaused(call, false);
