import { it } from 'vitest';
import { seedsInAll, timeoutMs } from './extent.kit.ts';
import { simulates } from './simulating.kit.ts';

const first = Math.ceil(seedsInAll / 2) + 1;
const count = Math.floor(seedsInAll / 2);

it(
  `survives crashes, stale reads, lost responses and all the rest: ${count} seeds from ${first}`,
  {
    timeout: timeoutMs,
  },
  () => simulates('seeds', first, count),
);
