import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

const count = repetitions({ test: 80, ci: 150, thorough: 500 });
simulates(`survives crashes, stale reads and lost responses: seeds 1 to ${count}`, 'operator', 'seeds', 1, count);
