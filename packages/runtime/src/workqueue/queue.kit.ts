/** A queue on a virtual clock, and short ways to take from it. */
import { VirtualClock } from '@ecsm/runtime/testing';
import { WorkQueue, type WorkQueueOptions } from './queue.ts';

export function setUp(options: Omit<WorkQueueOptions, 'clock'> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, ...options });
  const takeKey = async () => (await queue.take())?.key;
  /** Takes and finishes everything that is ready. */
  const takeAll = async () => {
    const keys: string[] = [];
    while (queue.depth > 0) {
      const item = await queue.take();
      if (item) {
        keys.push(item.key);
        queue.done(item.key);
      }
    }
    return keys;
  };
  return { clock, queue, takeKey, takeAll };
}
