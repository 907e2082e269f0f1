import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 101 to 200', 'etcd', 'seeds', 101, 100);
