import { simulates } from './simulating.kit.ts';

simulates('survives a crash before and after every effect of every story: the other half', 'operator', 'points', 1, 2);
