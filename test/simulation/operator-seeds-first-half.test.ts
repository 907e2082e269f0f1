import { isThorough, simulates } from './simulating.kit.ts';

const count = isThorough ? 500 : 150;
simulates(`survives crashes, stale reads and lost responses: seeds 1 to ${count}`, 'operator', 'seeds', 1, count);
