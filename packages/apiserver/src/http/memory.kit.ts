/** Memory of this process that is still referenced: garbage of other tests in it does not count. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Buffers are freed with the second collection.
  collect();
  collect();
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
}
