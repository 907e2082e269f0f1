/** `ecsmctl apply -f`: creates or updates objects from files. */

import { type Call, Failure, plural, type Run, UsageError } from '@ecsm/command-line';
import { type LabelSelector, matchesLabels, parseLabelSelector } from '@ecsm/runtime';
import { shortNameOf } from '../shared/kinds.ts';
import { type Document, readManifestFiles } from '../shared/manifests.ts';
import { checkOmitted, hasOmitted } from '../shared/omitted-replicas.ts';
import { operatorPresence, unusedRegistryText } from '../shared/operator-presence.ts';
import { type Session, withoutRegistry } from '../shared/session.ts';
import { type Item, isDryRun, isOn, selectionOf } from '../shared/targets.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';
import { applyOne } from './apply-one.ts';
import { rejectArguments } from './arguments.ts';
import { isTerminating, waitUntilDeleted } from './deletion.ts';
import { withNewRegistry, withRegistryOrNone } from './dry-run.ts';
import { prunable } from './prune.ts';
import { waitUntilReady } from './readiness.ts';
import { Report } from './report.ts';

/** Matches every object. */
const everything = parseLabelSelector('');

interface Options {
  readonly selector: LabelSelector | undefined;
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly wait: boolean;
  readonly timeoutMs: number;
}

export const run: Run = async (call) => {
  rejectArguments(call, 'apply');
  const options = optionsOf(call);
  const report = new Report(call, 'applied');
  const documents = await readManifestFiles(call, await withoutRegistry(call), { mayOmitReplicas: true });
  const chosen = chosenBy(options.selector, documents, call);
  // A new registry is not created for files that are not valid.
  if (chosen.some(hasOmitted)) await withRegistryOrNone(call, (session) => checkOmitted(call, session, chosen));
  await withNewRegistry(call, async (session) => {
    const applied = await applyAll(session, chosen, report, options);
    const pruned = await pruneRest(session, documents, report, options);
    await report.print();
    if (options.dryRun) return;
    const hasChanges = applied.some(({ isChanged }) => isChanged) || pruned.length > 0;
    const presence = await operatorPresence(session.registry, call.terminal);
    if (presence.is === 'never') session.warn(unusedRegistryText(presence, session.url));
    if (presence.is === 'stopped' && hasChanges) session.warn(presence.message);
    if (!options.wait) return;
    await waitUntilReady(call, session, applied, options.timeoutMs);
    const terminating = pruned.filter(({ object }) => isTerminating(object));
    await waitUntilDeleted(call, session, terminating, options.timeoutMs, (item) => report.writeLine(item, 'deleted'));
  });
  report.end();
};

function optionsOf(call: Call): Options {
  const { labelSelector } = selectionOf(call, []);
  const selector = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  const prune = isOn(call, 'prune');
  const isAll = isOn(call, 'all');
  if (isAll && !prune) throw new UsageError('--all requires --prune');
  if (isAll && selector !== undefined) throw new UsageError('use --all or -l, not both');
  if (prune && selector === undefined && !isAll) {
    throw new UsageError(
      '--prune requires -l SELECTOR, which limits the objects that may be deleted, or --all for all that were applied',
    );
  }
  const wait = isOn(call, 'wait');
  if (!wait && call.origin('timeout') !== undefined) throw new UsageError('--timeout requires --wait');
  const force = isOn(call, 'force-conflicts');
  return { selector, prune, dryRun: isDryRun(call), force, wait, timeoutMs: timeoutMsOf(call) };
}

/** The objects that match `-l`. */
function chosenBy(
  selector: LabelSelector | undefined,
  documents: readonly Document[],
  call: Call,
): readonly Document[] {
  if (!selector) return documents;
  const chosen = documents.filter(({ object }) => matchesLabels(selector, object.metadata.labels));
  const skipped = documents.length - chosen.length;
  const selection = `-l ${call.flag('selector')}`;
  if (chosen.length === 0) throw new Failure(`no object in the files matches ${selection}`);
  if (skipped > 0) {
    call.terminal.err.write(`skipped ${plural(skipped, 'object')} in the files: no match for ${selection}\n`);
  }
  return chosen;
}

type AppliedItem = Item & { readonly isChanged: boolean };

function applyAll(
  { registry, warn }: Session,
  documents: readonly Document[],
  report: Report,
  { dryRun, force }: Options,
): Promise<readonly AppliedItem[]> {
  return report.each(documents, async ({ kind, object: wanted }) => {
    const { outcome, object } = await applyOne(registry, kind, wanted, { dryRun, force });
    report.done({ kind, object }, outcome);
    if (object.metadata.deletionTimestamp !== undefined) {
      warn(`${shortNameOf(kind, object.metadata.name)} is being deleted, and the applied changes will be lost`);
    }
    return { kind, object, isChanged: outcome !== 'unchanged' };
  });
}

async function pruneRest(
  session: Session,
  documents: readonly Document[],
  report: Report,
  { prune, selector, dryRun }: Options,
): Promise<readonly Item[]> {
  if (!prune) return [];
  if (report.hasFailed) {
    session.warn('pruning skipped: some objects could not be applied');
    return [];
  }
  return report.each(await prunable(session, documents, selector ?? everything), async ({ kind, object }) => {
    const { name, namespace, uid } = object.metadata;
    const left = await session.registry.resource(kind).delete(name, { namespace, uid, dryRun });
    const item = { kind, object: left ?? object };
    report.writeLine(item, 'pruned');
    return item;
  });
}
