import { simulates } from './simulating.kit.ts';

simulates(
  'survives one in six crashes before and after effects of every story: second half',
  'operator',
  'points',
  7,
  12,
);
