/** `ecsmctl annotate`. */
import type { Run } from '@ecsm/command-line';
import { changeMetadata } from './metadata.ts';

export const run: Run = (call) =>
  changeMetadata(call, { command: 'annotate', field: 'annotations', noun: 'annotation', past: 'annotated' });
