/** Memory of this process that is still referenced. Garbage does not count: when it is collected depends on the engine. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The memory of buffers is freed beside the program; a second collection waits for the first to be done with it.
  collect();
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}
