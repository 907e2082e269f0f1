import { isThorough, simulates } from './simulating.kit.ts';

const parts = isThorough ? 12 : 48;
simulates(
  `survives two in ${parts} crashes before and after effects of every story: first half`,
  'operator',
  'points',
  0,
  parts,
);
