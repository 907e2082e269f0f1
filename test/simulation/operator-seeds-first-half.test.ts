import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads, lost answers and all the rest: 2,500 seeds', 'operator', 'seeds', 1, 2500);
