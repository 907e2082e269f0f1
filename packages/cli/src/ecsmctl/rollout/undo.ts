/** `ecsmctl rollout undo`: writes the template of an earlier revision to the spec. */
import { type Call, Failure, type Run, visible } from '@ecsm/command-line';
import { ECSMService, restartedAtAnnotation, type ServiceRevision } from '@ecsm/operator/kinds';
import { isApiError, type Kind } from '@ecsm/runtime';
import { managerOf } from '../shared/managers.ts';
import { wholeNumberOf } from '../shared/numbers.ts';
import type { Session } from '../shared/session.ts';
import { isDryRun } from '../shared/targets.ts';
import { noRevision } from './history.ts';
import { imageOf, isComplete, isWanted, revisionsOf } from './revisions.ts';
import { changeServices, readService, rejectDeleted, resumeLine, targetOf, titleOf } from './targets.ts';

const attemptsMax = 5;

export const run: Run = async (call) => {
  // As in kubectl, 0 selects the previous revision.
  const number = wholeNumberOf(call, 'to-revision', 0) || undefined;
  await changeServices(call, (session, service) => undo(call, session, service, number));
};

async function undo(call: Call, session: Session, found: ECSMService, number: number | undefined): Promise<void> {
  const { out, err } = call.terminal;
  for (let attempt = 1; ; attempt++) {
    const service = attempt === 1 ? found : await readService(session, targetOf(found));
    rejectDeleted(service);
    const revision = await earlierOf(session, service, number);
    const { number: its, hash } = revision.spec;
    const what = `revision ${its} (${visible(`${hash}, ${imageOf(revision)}`)})`;
    if (isWanted(service, revision)) {
      out.write(`${titleOf(service)} unchanged: it already uses ${what}\n`);
      return;
    }
    const dryRun = isDryRun(call);
    try {
      await writeBack(session, service, revision, dryRun);
      out.write(`${titleOf(service)} rolled back to ${what}${dryRun ? ' (dry run)' : ''}\n`);
      if (service.spec.paused && !dryRun) err.write(`the rollout is paused; resume it with "${resumeLine(service)}"\n`);
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
    }
  }
}

/** The revision with that number, or the newest one that differs from the spec. */
async function earlierOf(session: Session, service: ECSMService, number: number | undefined): Promise<ServiceRevision> {
  const revisions = await revisionsOf(session, service);
  rejectHidden(session, service, revisions);
  if (number !== undefined) {
    const named = revisions.find(({ spec }) => spec.number === number);
    if (!named) throw noRevision(service, number, revisions);
    return named;
  }
  const before = revisions.find((revision) => !isWanted(service, revision));
  if (before) return before;
  throw new Failure(`${titleOf(service)} cannot be rolled back: there is no earlier revision`);
}

/**
 * A user who may not see values would write a revision back with the values of today. The hash of a revision shows that a
 * server has left some out.
 */
function rejectHidden({ registry }: Session, service: ECSMService, revisions: readonly ServiceRevision[]): void {
  if (registry.capabilities.storage !== undefined || revisions.every(isComplete)) return;
  throw new Failure(
    `${titleOf(service)} cannot be rolled back: values of its revisions are hidden, because you may not get secrets in the namespace ${service.metadata.namespace}`,
  );
}

/** Restores the restart annotation, too, so that the revision is the same. The kind validates the template. */
async function writeBack(
  { registry }: Session,
  service: ECSMService,
  { spec: { template, restartedAt } }: ServiceRevision,
  dryRun: boolean,
): Promise<void> {
  const { [restartedAtAnnotation]: _, ...others } = service.metadata.annotations ?? {};
  const annotations = { ...others, ...(restartedAt === undefined ? {} : { [restartedAtAnnotation]: restartedAt }) };
  const anyKind: Kind = registry.kinds.get(ECSMService.apiVersion, ECSMService.kind);
  const metadata = { ...service.metadata, annotations };
  await registry
    .resource(anyKind)
    .update({ metadata, spec: { ...service.spec, template } }, { dryRun, manager: managerOf('rollout') });
}
