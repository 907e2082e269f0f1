/** One change made to each of several objects: what patch, label, annotate, scale and set have in common. */

import type { Call } from '@ecsm/command-line';
import { deepEqual, isApiError, type JsonValue } from '@ecsm/runtime';
import { readTarget, type Target } from '../shared/targets.ts';
import { chosenTargets } from './chosen.ts';
import { isDryRun, withExistingRegistry } from './dry-run.ts';
import type { AnyObject } from './observe.ts';
import { Report } from './report.ts';

export interface Change {
  /** `labeled`: what is said of an object that was changed, and how many were not. */
  readonly past: string;
  /** What is said of one that was as wanted already. Default: `past (no change)`. */
  readonly unchanged?: string;
  /**
   * The merge patch for an object as it is. Throws for one that it does not fit. It is asked again if somebody else has
   * changed the object meanwhile.
   */
  readonly patchFor: (target: Target, object: AnyObject) => JsonValue;
}

const attemptsMax = 10;

/** Asks for every object before it changes it, and changes only what it has asked about. */
export async function changeEach(
  call: Call,
  { past, unchanged = `${past} (no change)`, patchFor }: Change,
): Promise<void> {
  const report = new Report(call, past);
  const dryRun = isDryRun(call);
  await withExistingRegistry(call, async (session) => {
    await report.each(await chosenTargets(call, session), async (target) => {
      const { kind, namespace, name } = target;
      const resource = session.registry.resource(kind);
      for (let attempt = 1; ; attempt++) {
        const { object: before } = await readTarget(session, target);
        const patch = patchFor(target, before);
        try {
          const { resourceVersion } = before.metadata;
          const after = await resource.patch(name, patch, { namespace, resourceVersion, dryRun });
          report.done({ kind, object: after }, deepEqual(before, after) ? unchanged : past);
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
