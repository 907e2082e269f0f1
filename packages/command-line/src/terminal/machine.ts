/** The machine that the process runs on. */
import { hostname } from 'node:os';
import type { Machine } from '../command/terminal.ts';

export const nodeMachine: Machine = {
  get hostname() {
    return hostname();
  },
  isRunning(processId) {
    try {
      // Signal 0 is not sent.
      process.kill(processId, 0);
      return true;
    } catch (error) {
      // Without permission there is a process.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
};
