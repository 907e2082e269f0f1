import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 2251 to 3000', 'etcd', 'seeds', 2251, 750);
