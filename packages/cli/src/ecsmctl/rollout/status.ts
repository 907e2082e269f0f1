/** `ecsmctl rollout status`: waits for a rollout to complete. */

import { type Call, Failure, type Progress, type Run, visible, withProgress } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { follow } from '../shared/follow.ts';
import { warningWithoutOperator, warnWithoutOperator } from '../shared/operator-presence.ts';
import { type Session, withSession } from '../shared/session.ts';
import { timeoutMsOf } from '../shared/time-limits.ts';
import { isWanted, revisionsOf } from './revisions.ts';
import { type RolloutState, rolloutState } from './state.ts';
import { resumeLine, servicesOf } from './targets.ts';

export const run: Run = async (call) => {
  const timeoutMs = timeoutMsOf(call);
  await withSession(call, async (session) => {
    const services = await servicesOf(call, session);
    const isInProgress = services.some((service) => rolloutState(service).is === 'in progress');
    if (isInProgress && !isWatching(call)) await warnWithoutOperator(session, call.terminal);
    for (const service of services) {
      if (isWatching(call)) await followOne(call, session, service, timeoutMs);
      else report(call, service, await stateNow(session, service));
    }
  });
};

/** On unless `--watch=false` is set. */
function isWatching(call: Call): boolean {
  return call.origin('watch') === undefined || call.flag('watch') === 'true';
}

async function followOne(call: Call, session: Session, service: ECSMService, timeoutMs: number): Promise<void> {
  const { name } = service.metadata;
  const pause = service.spec.paused ? `the rollout is paused, "${resumeLine(service)}" resumes it; ` : '';
  const remedy = `${pause}look at "ecsmctl describe ecsmservice ${name}"`;
  const state = await withProgress(call.terminal, { what: `"${name}"`, timeoutMs, remedy }, (progress) =>
    warningWithoutOperator(sessionOf(session, progress), call.terminal, timeoutMs, () =>
      untilEnd(call, session, service, progress),
    ),
  );
  report(call, service, state);
}

/** Warnings must not interrupt the line of the progress. */
function sessionOf(session: Session, progress: Progress): Session {
  return { ...session, warn: (text) => progress.print(`warning: ${visible(text)}`) };
}

async function untilEnd(
  call: Call,
  session: Session,
  { metadata: { name, namespace, uid } }: ECSMService,
  progress: Progress,
): Promise<RolloutState> {
  const progressSession = sessionOf(session, progress);
  const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal: progress.signal };
  const deleted = new Failure(`"${name}" was deleted`);
  for await (const step of follow(call.terminal, progressSession, ECSMService, selection)) {
    if (step.type === 'Deleted') throw deleted;
    const object = step.type === 'Listed' ? step.objects[0] : step.object;
    if (object?.metadata.uid !== uid) throw deleted;
    const state = await stateNow(session, object);
    if (state.is !== 'in progress') return state;
    progress.update(visible(state.message));
  }
  progress.signal.throwIfAborted();
  throw new Error('the watch ended unexpectedly');
}

/** A restart does not change the generation, so the observed revision shows whether it was observed. */
async function stateNow(session: Session, service: ECSMService): Promise<RolloutState> {
  const state = rolloutState(service);
  if (state.is === 'in progress' || service.metadata.deletionTimestamp !== undefined) return state;
  const revisions = await revisionsOf(session, service);
  const seen = revisions.find(({ spec }) => spec.hash === service.status?.updateRevision);
  return seen === undefined || isWanted(service, seen)
    ? state
    : { is: 'in progress', message: 'the operator has not observed the restart yet' };
}

function report({ terminal: { out } }: Call, { metadata: { name } }: ECSMService, state: RolloutState): void {
  if (state.is === 'stuck') throw new Failure(`"${name}" is not rolled out: ${state.message}`);
  out.write(
    state.is === 'done' ? `"${name}" successfully rolled out\n` : `waiting for "${name}": ${visible(state.message)}\n`,
  );
}
