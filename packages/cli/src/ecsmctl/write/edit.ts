/** `ecsmctl edit`: an object in the editor of a person, again and again until it is right, or left as it was. */

import { type Call, Failure, type Run } from '@ecsm/command-line';
import {
  type ApiObject,
  deepEqual,
  isApiError,
  type Kind,
  lastAppliedAnnotation,
  type Manifest,
  type ObjectInput,
} from '@ecsm/runtime';
import { formatYaml } from '../../print/documents.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { hideBoth, redactObject } from '../shared/secrets.ts';
import type { Session } from '../shared/session.ts';
import { readTarget, type Target, targetsOf } from '../shared/targets.ts';
import { asWritten } from '../shared/written.ts';
import { withExistingRegistry } from './dry-run.ts';
import { checkEdited, refusalOf } from './edit-check.ts';
import { bodyOf, conflictText, type EditProblem, firstText, wrongText } from './edit-text.ts';
import { Report } from './report.ts';
import { unifiedDiff } from './unified-diff.ts';
import { requireNames } from './words.ts';

type AnyObject = ApiObject<unknown, unknown>;

/** A person gives up long before; an editor that is a program may not. */
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

/** Nothing if the person changed nothing. Throws `Failure` if what was saved never became right; it is kept then. */
async function editOne({ terminal }: Call, session: Session, target: Target): Promise<AnyObject | undefined> {
  let { object: live } = await readTarget(session, target);
  let opened = firstText(await formatYaml(redactObject(asWritten(live))));
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
    } else opened = wrongText(attempt.problems, body);
  }
  throw new Failure(`edit cancelled: ${nameOf(target)} was saved ${roundsMax} times, but never valid`);
}

type Attempt =
  | { readonly is: 'saved'; readonly object: AnyObject | undefined }
  | { readonly is: 'wrong'; readonly problems: readonly EditProblem[] }
  | { readonly is: 'conflict'; readonly newest: AnyObject };

async function save(session: Session, target: Target, body: string, live: AnyObject): Promise<Attempt> {
  const checked = await checkEdited(body, live, session.kinds);
  if (checked.is === 'wrong') return checked;
  let base = live;
  for (;;) {
    try {
      const object = await session.registry.resource(target.kind).update(inputOf(target.kind, checked.manifest, base));
      return { is: 'saved', object: deepEqual(object, base) ? undefined : object };
    } catch (error) {
      if (!isApiError(error, 'Conflict')) return { is: 'wrong', problems: await refusalOf(error, checked.manifest) };
      const { object: newest } = await readTarget(session, target);
      const isSameObject = newest.metadata.uid === live.metadata.uid;
      // The operator writes the status all the time, and that is nobody's conflict.
      if (!isSameObject || !deepEqual(asWritten(newest), asWritten(live))) return { is: 'conflict', newest };
      base = newest;
    }
  }
}

/** What was written, with what was kept from the person. */
function inputOf(kind: Kind, { object }: Manifest, base: AnyObject): ObjectInput<unknown, unknown> {
  // It is valid by now; parsing it again is how the types learn of it.
  const { metadata, spec } = kind.parse(object);
  const { [lastAppliedAnnotation]: remembered } = base.metadata.annotations ?? {};
  const memory = remembered === undefined ? {} : { [lastAppliedAnnotation]: remembered };
  const annotations = { ...metadata.annotations, ...memory };
  return { metadata: { ...metadata, annotations, resourceVersion: base.metadata.resourceVersion }, spec };
}

async function changesBetween(before: AnyObject, after: AnyObject): Promise<readonly string[]> {
  const shown = hideBoth(asWritten(before), asWritten(after));
  return unifiedDiff(await formatYaml(shown.before), await formatYaml(shown.after));
}

function nameOf({ kind, name }: Pick<Target, 'kind' | 'name'>): string {
  return shortNameOf(kind, name);
}
