/** ecsmctl as a process. */
import { main } from '@ecsm/command-line';
import { ecsmctl } from './program.ts';

void main(ecsmctl);
