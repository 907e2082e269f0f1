import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

// The planted defects are found within 250 seeds.
const count = repetitions({ test: 500, thorough: 2_000 });
simulates(`survives crashes, stale reads and lost responses: ${count} seeds`, 'runtime', '--seeds', count);
