/** `ecsmctl delete`: deletes objects by name, file, selector, or all of a kind. */
import { type Call, type Run, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { missingOperatorWarning } from '../shared/operator-presence.ts';
import type { Session } from '../shared/session.ts';
import { findTarget, type Item, isDryRun, isOn, missing, type Target } from '../shared/targets.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';
import { rejectKustomize } from './arguments.ts';
import { cleanupText, isTerminating, waitUntilDeleted } from './deletion.ts';
import { withExistingRegistry } from './dry-run.ts';
import { leaveOnPlatform, orphan } from './orphan.ts';
import { Report } from './report.ts';
import { selectedTargets } from './selected-targets.ts';

interface Options {
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly keepsDependents: boolean;
  /** Objects found by a selector may be deleted by others meanwhile. */
  readonly mayBeMissing: boolean;
}

export const run: Run = async (call) => {
  rejectKustomize(call, 'delete');
  const options = optionsOf(call);
  const report = new Report(call, 'deleted');
  await withExistingRegistry(call, async (session) => {
    const terminating: Item[] = [];
    const onDeleted = (item: Item) => report.done(item, 'deleted');
    await report.each(await selectedTargets(call, session), async (target) => {
      const item = await deleteOne(session, target, options);
      if (item && isTerminating(item.object) && !options.dryRun) terminating.push(item);
      else if (item) onDeleted(item);
    });
    if (options.wait) await waitUntilDeleted(call, session, terminating, options.timeoutMs, onDeleted);
    else await reportPending(call, session, terminating, report);
    await report.print();
  });
  report.end();
};

function optionsOf(call: Call): Options {
  const wait = call.flag('wait') === 'true';
  if (!wait && call.origin('timeout') !== undefined) throw new UsageError('--timeout cannot be used with --wait=false');
  return {
    dryRun: isDryRun(call),
    wait,
    timeoutMs: timeoutMsOf(call),
    keepsDependents: call.flag('cascade') === 'orphan',
    mayBeMissing: isOn(call, 'ignore-not-found') || isOn(call, 'all') || call.origin('selector') !== undefined,
  };
}

/** Returns the deleted or terminating object, or undefined if it does not exist and may be missing. */
async function deleteOne(
  session: Session,
  target: Target,
  { dryRun, keepsDependents, mayBeMissing }: Options,
): Promise<Item | undefined> {
  const found = await findTarget(session, target);
  if (!found && mayBeMissing) return undefined;
  if (!found) throw await missing(session, target);
  const { kind, object } = found;
  const { name, namespace, uid } = object.metadata;
  if (keepsDependents && !dryRun) {
    await orphan(session.registry, object);
    if (kind === ECSMService) await leaveOnPlatform(session.registry, object);
  }
  const left = await session.registry.resource(kind).delete(name, { namespace, uid, dryRun });
  return { kind, object: left ?? object };
}

/** Reports which cleanup the terminating objects wait for. */
async function reportPending(
  { terminal }: Call,
  { registry, warn }: Session,
  terminating: readonly Item[],
  report: Report,
): Promise<void> {
  for (const item of terminating) report.done(item, `is being deleted: it waits for ${cleanupText(item.object)}`);
  const missing = terminating.length === 0 ? undefined : await missingOperatorWarning(registry, terminal);
  if (missing !== undefined) warn(missing);
}
