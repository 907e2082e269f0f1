/** Who told a container to do what. It is kept as long as the container is. */
import type { World } from './world.ts';

/** Of one container; beyond it the oldest entry goes. */
export const historyEntriesMax = 50;

/** There are no users on this platform: calls are anonymous, and the history names the one who can do everything. */
const user = 'admin';

export function addHistory(world: World, taskId: string, command: string): void {
  const entries = world.history.get(taskId) ?? [];
  entries.push({ taskId, command, user, timeMs: world.nowMs });
  if (entries.length > historyEntriesMax) entries.shift();
  world.history.set(taskId, entries);
}
