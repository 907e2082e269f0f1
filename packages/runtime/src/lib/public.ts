/**
 * `@ecsm/runtime/lib`: the parts of the runtime that the command line needs before it knows the command. Loading the
 * whole runtime would delay every command.
 */
export { systemClock } from '../ports/clock.ts';
export { nearest } from './nearest.ts';
