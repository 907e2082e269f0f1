import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads and lost responses: seeds 1 to 500', 'operator', 'seeds', 1, 500);
