import { simulates } from './simulating.kit.ts';

simulates('survives all that with another 2,500 seeds', 'operator', 'seeds', 2501, 2500);
