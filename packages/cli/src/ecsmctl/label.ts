/** `ecsmctl label`. */
import type { Run } from '../shell/command.ts';
import { changeMarks } from './marks.ts';

export const run: Run = (call) => changeMarks(call, { field: 'labels', noun: 'label', past: 'labeled' });
