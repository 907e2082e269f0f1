/** The way into `ecsm-cli`. */
import { main } from '../shell/real-world.ts';
import { ecsmCli } from './program.ts';

void main(ecsmCli);
