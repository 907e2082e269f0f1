import { simulates } from './simulating.kit.ts';

simulates(
  'survives one in three crashes before and after effects of every story: second half',
  'operator',
  'points',
  3,
  6,
);
