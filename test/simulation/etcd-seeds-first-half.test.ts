import { repetitions } from '@ecsm/runtime/testing';
import { simulates } from './simulating.kit.ts';

// The planted defects are found by the 22nd seed of their story, so within 600 seeds of all stories.
const count = repetitions({ test: 400, ci: 1_500, thorough: 1_500 });
simulates(`keeps etcd clusters whole through faults: seeds 1 to ${count}`, 'etcd', 'seeds', 1, count);
