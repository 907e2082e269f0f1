import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

const parts = repetitions({ test: 96, ci: 48, thorough: 12 });
simulates(
  `survives two in ${parts} crashes before and after effects of every story: first half`,
  'operator',
  'points',
  0,
  parts,
);
