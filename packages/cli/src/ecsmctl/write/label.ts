/** `ecsmctl label`. */
import type { Run } from '@ecsm/command-line';
import { changeMetadata } from './metadata.ts';

export const run: Run = (call) =>
  changeMetadata(call, { command: 'label', field: 'labels', noun: 'label', past: 'labeled' });
