import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 1501 to 2250', 'etcd', 'seeds', 1501, 750);
