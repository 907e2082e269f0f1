/** The names under which ecsmctl sets fields, in the style of kubectl. */
import { type ApiObject, lastAppliedAnnotation } from '@ecsm/runtime';

/** The manager of `apply`. */
export const applyManager = 'ecsmctl';

/** The manager of another command: `ecsmctl-edit`. */
export function managerOf(command: string): string {
  return `${applyManager}-${command}`;
}

/** Whether `ecsmctl apply` wrote the object, with this version or with one that used an annotation. */
export function wasApplied({ metadata }: ApiObject<unknown, unknown>): boolean {
  const { annotations = {}, managedFields = [] } = metadata;
  if (Object.hasOwn(annotations, lastAppliedAnnotation)) return true;
  return managedFields.some(({ manager, operation }) => operation === 'Apply' && manager === applyManager);
}
