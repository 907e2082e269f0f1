import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads and lost responses: seeds 1 to 750', 'operator', 'seeds', 1, 750);
