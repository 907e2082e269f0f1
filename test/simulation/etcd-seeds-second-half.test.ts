import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 1501 to 3000', 'etcd', 'seeds', 1_501, 1_500);
