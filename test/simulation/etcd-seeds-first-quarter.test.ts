import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 1 to 750', 'etcd', 'seeds', 1, 750);
