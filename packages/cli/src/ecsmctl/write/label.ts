/** `ecsmctl label`. */
import type { Run } from '@ecsm/command-line';
import { changeMetadata } from './metadata.ts';

export const run: Run = (call) => changeMetadata(call, { field: 'labels', noun: 'label', past: 'labeled' });
