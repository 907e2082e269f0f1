import { simulates } from './simulating.kit.ts';

simulates('survives crashes, stale reads, lost answers and all the rest: 10,000 seeds', 'runtime', '--seeds', 10_000);
