import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

const count = repetitions({ test: 80, ci: 150, thorough: 500 });
simulates(
  `survives crashes, stale reads and lost responses: seeds ${count + 1} to ${2 * count}`,
  'operator',
  'seeds',
  count + 1,
  count,
);
