/** Waits until objects are deleted, after their finalizers were removed. */
import { type Call, withProgress } from '@ecsm/command-line';
import { platformFinalizer } from '@ecsm/operator/kinds';
import { shortNameOf } from '../shared/kinds.ts';
import { missingOperatorWarning } from '../shared/operator-presence.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';
import { observe } from './observe.ts';

/** Descriptions of known finalizers. */
const cleaners: Readonly<Record<string, string>> = {
  [platformFinalizer]: 'the operator to remove it from the platform',
};

/** Whether an object is being deleted and waits for finalizers. */
export function isTerminating({ metadata }: Item['object']): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length > 0;
}

/** `the operator to remove it from the platform (ecsm.sh/platform-service)`. */
export function cleanupText({ metadata }: Item['object']): string {
  const finalizers = metadata.finalizers ?? [];
  return finalizers
    .map((finalizer) => {
      const cleaner = cleaners[finalizer];
      return cleaner === undefined
        ? `another program to remove the finalizer ${finalizer}`
        : `${cleaner} (${finalizer})`;
    })
    .join(' and ');
}

/** Calls `onDeleted` for each object. Throws `Failure` at the deadline; the deletion continues. */
export async function waitUntilDeleted(
  call: Call,
  session: Session,
  items: readonly Item[],
  timeoutMs: number,
  onDeleted: (item: Item) => void,
): Promise<void> {
  const [first] = items;
  if (!first) return;
  const nameOf = ({ kind, object }: Item) => shortNameOf(kind, object.metadata.name);
  const left = new Map(items.map((item) => [item, item.object]));
  const stateOf = () => {
    const [next] = left;
    if (!next) return '';
    const [item, object] = next;
    const count = items.length === 1 ? '' : `${items.length - left.size} of ${items.length} deleted, ${nameOf(item)} `;
    return `${count}${items.length === 1 ? 'it ' : ''}waits for ${cleanupText(object)}`;
  };
  const what = items.length === 1 ? `${nameOf(first)} to be deleted` : `${items.length} objects to be deleted`;
  const missing = await missingOperatorWarning(session.registry, call.terminal);
  const hint = missing === undefined ? 'is ecsm-operator running?' : `${missing}.`;
  const remedy = `${hint} The deletion continues in the background`;
  try {
    await withProgress(call.terminal, { what, timeoutMs, remedy }, async (progress) => {
      progress.update(stateOf());
      await observe(call.terminal, session, items, progress.signal, (item, object) => {
        if (object) left.set(item, object);
        else {
          left.delete(item);
          progress.above(() => onDeleted(item));
        }
        progress.update(stateOf());
        return object === undefined;
      });
    });
  } catch (error) {
    if (call.terminal.signal.aborted)
      call.terminal.err.write(
        `the deletion of ${[...left.keys()].map(nameOf).join(', ')} continues in the background\n`,
      );
    throw error;
  }
}
