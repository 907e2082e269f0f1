import { isThorough, simulates } from './simulating.kit.ts';

// The planted defects are found within 250 seeds.
const count = isThorough ? 2_000 : 500;
simulates(`survives crashes, stale reads and lost responses: ${count} seeds`, 'runtime', '--seeds', count);
