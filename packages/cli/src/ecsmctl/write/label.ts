/** `ecsmctl label`. */
import type { Run } from '@ecsm/command-line';
import { changeMarks } from './marks.ts';

export const run: Run = (call) => changeMarks(call, { field: 'labels', noun: 'label', past: 'labeled' });
