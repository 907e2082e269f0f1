import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads and lost responses: 2,000 seeds', 'runtime', '--seeds', 2_000);
