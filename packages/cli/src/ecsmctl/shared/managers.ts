/** The names under which ecsmctl sets fields, in the style of kubectl. */
import type { ApiObject } from '@ecsm/runtime';

/** The manager of `apply`. */
export const applyManager = 'ecsmctl';

/** The manager of another command: `ecsmctl-edit`. */
export function managerOf(command: string): string {
  return `${applyManager}-${command}`;
}

/** Whether `ecsmctl apply` wrote the object. */
export function wasApplied({ metadata }: ApiObject<unknown, unknown>): boolean {
  const { managedFields = [] } = metadata;
  return managedFields.some(({ manager, operation }) => operation === 'Apply' && manager === applyManager);
}
