/** `ecsmctl delete`: by name, file, selector or all of a kind. */
import { type Call, type Run, UsageError } from '@ecsm/command-line';
import type { Session } from '../shared/session.ts';
import { findTarget, type Item, isOn, missing, type Target } from '../shared/targets.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';
import { chosenTargets } from './chosen.ts';
import { isDryRun, withExistingRegistry } from './dry-run.ts';
import { cleanupText, isLeaving, untilGone } from './gone.ts';
import { missingOperator } from './operator-sign.ts';
import { orphan } from './orphan.ts';
import { Report } from './report.ts';

interface Options {
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly keepsDependents: boolean;
  /** Those that a selector has found may go before their turn comes. */
  readonly mayBeMissing: boolean;
}

export const run: Run = async (call) => {
  const options = optionsOf(call);
  const report = new Report(call, 'deleted');
  await withExistingRegistry(call, async (session) => {
    const leaving: Item[] = [];
    const gone = (item: Item) => report.done(item, 'deleted');
    await report.each(await chosenTargets(call, session), async (target) => {
      const item = await deleteOne(session, target, options);
      if (item && isLeaving(item.object) && !options.dryRun) leaving.push(item);
      else if (item) gone(item);
    });
    if (options.wait) await untilGone(call, session, leaving, options.timeoutMs, gone);
    else await leave(session, leaving, report);
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

/** As it was, or as it waits for somebody to clean up. Nothing if it is not there and need not be. */
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
  if (keepsDependents && !dryRun) await orphan(session.registry, object);
  const left = await session.registry.resource(kind).delete(name, { namespace, uid, dryRun });
  return { kind, object: left ?? object };
}

/** Says what they wait for, since nobody stays to see. */
async function leave({ registry, warn }: Session, leaving: readonly Item[], report: Report): Promise<void> {
  for (const item of leaving) report.done(item, `is being deleted: it waits for ${cleanupText(item.object)}`);
  const missing = leaving.length === 0 ? undefined : await missingOperator(registry);
  if (missing !== undefined) warn(missing);
}
