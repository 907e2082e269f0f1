import { simulates } from './simulating.kit.ts';

simulates('survives a crash before and after every effect of every story: the first half', 'operator', 'points', 0, 2);
