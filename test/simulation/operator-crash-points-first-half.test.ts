import { simulates } from './simulating.kit.ts';

simulates(
  'survives one in six crashes before and after effects of every story: first half',
  'operator',
  'points',
  0,
  12,
);
