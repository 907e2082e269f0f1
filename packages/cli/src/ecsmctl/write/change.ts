/** Patches several objects: shared by patch, label, annotate, scale and set. */

import type { Call } from '@ecsm/command-line';
import { deepEqual, isApiError, type JsonValue } from '@ecsm/runtime';
import { managerOf } from '../shared/managers.ts';
import type { Session } from '../shared/session.ts';
import { isDryRun, readTarget, type Target } from '../shared/targets.ts';
import { withExistingRegistry } from './dry-run.ts';
import type { AnyObject } from './observe.ts';
import { Report } from './report.ts';
import { selectedTargets } from './selected-targets.ts';

interface Change {
  /** The command, for the name of the manager. */
  readonly command: string;
  /** `labeled`: the past participle for messages. */
  readonly past: string;
  /** The message for an object that did not change. Default: `past (no change)`. */
  readonly unchanged?: string;
  /**
   * Returns the merge patch for an object, or throws if the change does not apply to it. Called again after a conflicting
   * write.
   */
  readonly patchFor: (target: Target, object: AnyObject) => JsonValue;
  /** A warning about a change, if there is a reason for one. Default: none. */
  readonly warningFor?: (session: Session, target: Target) => Promise<string | undefined>;
}

const attemptsMax = 10;

/** Reads each object before patching it, and retries on conflict. */
export async function changeEach(
  call: Call,
  { command, past, unchanged = `${past} (no change)`, patchFor, warningFor }: Change,
): Promise<void> {
  const report = new Report(call, past);
  const dryRun = isDryRun(call);
  const manager = managerOf(command);
  await withExistingRegistry(call, async (session) => {
    await report.each(await selectedTargets(call, session), async (target) => {
      const { kind, namespace, name } = target;
      const resource = session.registry.resource(kind);
      for (let attempt = 1; ; attempt++) {
        const { object: before } = await readTarget(session, target);
        const patch = patchFor(target, before);
        try {
          const { resourceVersion } = before.metadata;
          const after = await resource.patch(name, patch, { namespace, resourceVersion, dryRun, manager });
          report.done({ kind, object: after }, deepEqual(before, after) ? unchanged : past);
          const warning = await warningFor?.(session, target);
          if (warning !== undefined) session.warn(warning);
          return;
        } catch (error) {
          if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
        }
      }
    });
    await report.print();
  });
  report.end();
}
