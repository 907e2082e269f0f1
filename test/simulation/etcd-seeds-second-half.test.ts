import { simulates } from './simulating.kit.ts';

simulates('keeps etcd clusters whole through faults: seeds 201 to 400', 'etcd', 'seeds', 201, 200);
