import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

const count = repetitions({ test: 400, ci: 1_500, thorough: 1_500 });
const first = count + 1;
simulates(`keeps etcd clusters whole through faults: seeds ${first} to ${2 * count}`, 'etcd', 'seeds', first, count);
