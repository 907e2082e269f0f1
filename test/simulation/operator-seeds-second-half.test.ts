import { isThorough, simulates } from './simulating.kit.ts';

const count = isThorough ? 500 : 150;
simulates(
  `survives crashes, stale reads and lost responses: seeds ${count + 1} to ${2 * count}`,
  'operator',
  'seeds',
  count + 1,
  count,
);
