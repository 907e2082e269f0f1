import { it } from 'vitest';
import { seedsInAll, timeoutMs } from './extent.kit.ts';
import { simulates } from './simulating.kit.ts';

const count = Math.ceil(seedsInAll / 2);

it(
  `survives crashes, stale reads, lost responses and all the rest: ${count} seeds from 1`,
  { timeout: timeoutMs },
  () => simulates('seeds', 1, count),
);
