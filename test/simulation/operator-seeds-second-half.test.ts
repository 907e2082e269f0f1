import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads and lost responses: seeds 501 to 1,000', 'operator', 'seeds', 501, 500);
