/** The actions on a container, kept as long as the container exists. */
import type { World } from './world.ts';

/** Maximum number of entries per container; the oldest are dropped. */
export const historyEntriesMax = 50;

/** Calls are anonymous: there are no users. */
const user = 'admin';

export function addHistory(world: World, taskId: string, command: string): void {
  const entries = world.history.get(taskId) ?? [];
  entries.push({ taskId, command, user, timeMs: world.nowMs });
  if (entries.length > historyEntriesMax) entries.shift();
  world.history.set(taskId, entries);
}
