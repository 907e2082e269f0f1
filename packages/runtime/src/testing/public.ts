/** The public face of the test kit: `@ecsm/runtime/testing`. */
export { settled, VirtualClock } from './virtual-clock.ts';
