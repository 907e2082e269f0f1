/** `ecsmctl annotate`. */
import type { Run } from '../shell/command.ts';
import { changeMarks } from './marks.ts';

export const run: Run = (call) => changeMarks(call, { field: 'annotations', noun: 'annotation', past: 'annotated' });
