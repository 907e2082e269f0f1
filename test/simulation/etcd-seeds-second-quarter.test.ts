import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 751 to 1500', 'etcd', 'seeds', 751, 750);
