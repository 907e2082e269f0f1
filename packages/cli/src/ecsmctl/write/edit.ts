/** `ecsmctl edit`: opens an object in an editor until it is valid or the edit is cancelled. */

import { type Call, Failure, type Run } from '@ecsm/command-line';
import { type ApiObject, deepEqual, isApiError, type Manifest, type ObjectInput } from '@ecsm/runtime';
import { formatYaml } from '../../print/documents.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { managerOf } from '../shared/managers.ts';
import type { Session } from '../shared/session.ts';
import { readTarget, type Target, targetsOf } from '../shared/targets.ts';
import { userFieldsOf } from '../shared/user-fields.ts';
import { requireNames } from './arguments.ts';
import { withExistingRegistry } from './dry-run.ts';
import { checkEdited, refusalOf } from './edit-check.ts';
import { bodyOf, conflictText, type EditProblem, firstText, invalidText } from './edit-text.ts';
import { Report } from './report.ts';
import { unifiedDiff } from './unified-diff.ts';

type AnyObject = ApiObject<unknown, unknown>;

/** Stops an EDITOR that is a script and never saves a valid object. */
const roundsMax = 100;

export const run: Run = async (call) => {
  requireNames(call);
  const report = new Report(call, 'edited');
  await withExistingRegistry(call, async (session) => {
    await report.each(await targetsOf(call, session), async (target) => {
      const edited = await editOne(call, session, target);
      if (edited) report.done({ kind: target.kind, object: edited }, 'edited');
      else call.terminal.err.write('edit cancelled, no changes made\n');
    });
    await report.print();
  });
  report.end();
};

/** Returns undefined if nothing was changed. Throws `Failure` if the saved text never became valid; the text is kept. */
async function editOne({ terminal }: Call, session: Session, target: Target): Promise<AnyObject | undefined> {
  let { object: live } = await readTarget(session, target);
  let opened = firstText(await formatYaml(userFieldsOf(live)));
  let isFirst = true;
  let isConflict = false;
  for (let round = 0; round < roundsMax; round++) {
    const text = await terminal.edit(opened, '.yaml');
    const body = bodyOf(text);
    const isUntouched = isConflict ? text === opened : body === bodyOf(opened);
    if (isFirst && (isUntouched || body === '')) return undefined;
    if (isUntouched || body === '')
      throw new Failure(`edit cancelled: ${nameOf(target)} was not changed${isConflict ? ', except by others' : ''}`);
    const attempt = await save(session, target, body, live);
    if (attempt.is === 'saved') return attempt.object;
    isFirst = false;
    isConflict = attempt.is === 'conflict';
    if (attempt.is === 'conflict') {
      opened = conflictText(nameOf(target), await changesBetween(live, attempt.newest), body);
      live = attempt.newest;
    } else opened = invalidText(attempt.problems, body);
  }
  throw new Failure(`edit cancelled: ${nameOf(target)} was saved ${roundsMax} times, but never valid`);
}

type Attempt =
  | { readonly is: 'saved'; readonly object: AnyObject | undefined }
  | { readonly is: 'invalid'; readonly problems: readonly EditProblem[] }
  | { readonly is: 'conflict'; readonly newest: AnyObject };

async function save(session: Session, target: Target, body: string, live: AnyObject): Promise<Attempt> {
  const checked = await checkEdited(body, live, session.kinds);
  if (checked.is === 'invalid') return checked;
  let base = live;
  for (;;) {
    try {
      const object = await session.registry
        .resource(target.kind)
        .update(inputOf(checked.manifest, base), { manager: managerOf('edit') });
      return { is: 'saved', object: deepEqual(object, base) ? undefined : object };
    } catch (error) {
      if (!isApiError(error, 'Conflict')) return { is: 'invalid', problems: await refusalOf(error, checked.manifest) };
      const { object: newest } = await readTarget(session, target);
      const isSameObject = newest.metadata.uid === live.metadata.uid;
      // The operator writes the status often; a status change is not a conflict.
      if (!isSameObject || !deepEqual(userFieldsOf(newest), userFieldsOf(live))) return { is: 'conflict', newest };
      base = newest;
    }
  }
}

/** The edited object with the fields that were not shown. */
function inputOf({ object }: Manifest, base: AnyObject): ObjectInput<unknown, unknown> {
  // The object is valid. It is written without defaults: one of them could replace a value that the user was not shown.
  const { metadata, ...content } = asInput(object);
  return { ...content, metadata: { ...metadata, resourceVersion: base.metadata.resourceVersion } };
}

/** A valid manifest is the input of a write. */
function asInput(object: unknown): ObjectInput<unknown, unknown> {
  return object as ObjectInput<unknown, unknown>;
}

async function changesBetween(before: AnyObject, after: AnyObject): Promise<readonly string[]> {
  return unifiedDiff(await formatYaml(userFieldsOf(before)), await formatYaml(userFieldsOf(after)));
}

function nameOf({ kind, name }: Pick<Target, 'kind' | 'name'>): string {
  return shortNameOf(kind, name);
}
