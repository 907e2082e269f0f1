/** Entry point of `ecsm-cli`. */
import { main } from '@ecsm/command-line';
import { ecsmCli } from './program.ts';

void main(ecsmCli);
