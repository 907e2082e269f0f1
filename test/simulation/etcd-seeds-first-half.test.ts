import { simulates } from './simulating.kit.ts';

// A run costs a fifth of a second of processor time; `make simulate OF=etcd` runs thousands.
simulates('keeps etcd clusters whole through faults: seeds 1 to 100', 'etcd', 'seeds', 1, 100);
