import { simulates } from './simulating.kit.ts';

simulates(
  'survives one in three crashes before and after effects of every story: first half',
  'operator',
  'points',
  0,
  6,
);
