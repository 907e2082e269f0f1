import { isThorough, simulates } from './simulating.kit.ts';

const parts = isThorough ? 12 : 48;
simulates(
  `survives two in ${parts} crashes before and after effects of every story: second half`,
  'operator',
  'points',
  7,
  parts,
);
