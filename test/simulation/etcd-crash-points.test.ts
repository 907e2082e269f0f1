import { simulates } from './simulating.kit.ts';

// A prime number: before and after alternate, and so do kinds of effects.
simulates('survives one in 151 crashes before and after effects of every etcd story', 'etcd', 'points', 0, 151);
