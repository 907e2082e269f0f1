import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 1 to 1500', 'etcd', 'seeds', 1, 1_500);
