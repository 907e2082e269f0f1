import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads and lost responses: seeds 751 to 1,500', 'operator', 'seeds', 751, 750);
