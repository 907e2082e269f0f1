/** `ecsmctl annotate`. */
import type { Run } from '@ecsm/command-line';
import { changeMetadata } from './metadata.ts';

export const run: Run = (call) => changeMetadata(call, { field: 'annotations', noun: 'annotation', past: 'annotated' });
