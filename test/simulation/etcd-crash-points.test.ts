import { isThorough, simulates } from './simulating.kit.ts';

// Odd numbers: before and after alternate, and so do kinds of effects.
const parts = isThorough ? 151 : 453;
simulates(`survives one in ${parts} crashes before and after effects of every etcd story`, 'etcd', 'points', 0, parts);
