/** The public face of the test kit: `@ecsm/runtime/testing`. */
export { fasterClock } from './faster-clock.ts';
export { Crate, Note, Region, Widget } from './kinds.ts';
export { type Repetitions, repetitions } from './repetitions.ts';
export { usedBytes } from './used-bytes.ts';
export { settled, VirtualClock } from './virtual-clock.ts';
