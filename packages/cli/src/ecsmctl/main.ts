/** ecsmctl as a process. */
import { main } from '../shell/real-world.ts';
import { ecsmctl } from './program.ts';

void main(ecsmctl);
