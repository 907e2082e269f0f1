import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

// Odd numbers: before and after alternate, and so do kinds of effects.
const parts = repetitions({ test: 907, ci: 453, thorough: 151 });
simulates(`survives one in ${parts} crashes before and after effects of every etcd story`, 'etcd', 'points', 0, parts);
