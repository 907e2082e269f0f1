/** `ecsmctl wait --for=…`: waits until objects meet a condition. */

import {
  type Call,
  Failure,
  type Progress,
  plural,
  type Run,
  UsageError,
  visible,
  withProgress,
} from '@ecsm/command-line';
import { ECSMHpa, ECSMService } from '@ecsm/operator/kinds';
import type { Kind } from '@ecsm/runtime';
import { follow } from '../shared/follow.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { warningWithoutOperator } from '../shared/operator-presence.ts';
import { type Session, withSession } from '../shared/session.ts';
import { findTarget, type Item, missing, type Target, targetsOf } from '../shared/targets.ts';
import { parseTime, timeoutMsOf } from '../shared/time-limits.ts';
import { nothingFound } from './targets.ts';
import { conditionText, parseWaitCondition, unmetText, type WaitCondition } from './wait-condition.ts';

/** Kinds that only the operator changes. */
const operatorKinds: readonly Kind[] = [ECSMService, ECSMHpa];
/** Maximum number of objects named in one line. */
const namedMax = 20;

/** An object to wait for. */
interface WaitTarget {
  readonly target: Target;
  /** Its namespace, if it is not the namespace of the command. */
  readonly where: string;
  /** The uid of an existing object: another uid under its name means that it was deleted. */
  readonly uid: string | undefined;
  /** The actual state. Undefined: the condition is met. */
  unmet: string | undefined;
  isDeleted: boolean;
}

export const run: Run = async (call) => {
  const text = call.flag('for');
  if (text === undefined) throw new UsageError('specify what to wait for: --for=condition=Available, or --for=delete');
  const condition = parseWaitCondition(text);
  // As in kubectl, 0 checks once.
  const isOnce = parseTime(call.flag('timeout') ?? '') === 0;
  const timeoutMs = timeoutMsOf(call);
  await withSession(call, async (session) => {
    const all = await waitTargetsOf(call, session, condition);
    const met = (one: WaitTarget) => call.terminal.out.write(`${titleOf(one)} condition met\n`);
    for (const one of all) if (one.unmet === undefined) met(one);
    if (!isOnce && isOpen(all)) {
      const isOfOperator = all.some(({ target, unmet }) => unmet !== undefined && operatorKinds.includes(target.kind));
      const what = conditionText(condition);
      await withProgress(call.terminal, { what, timeoutMs }, (progress) => {
        const work = () => until(call, session, { condition, all, met, progress });
        const warn = (text: string) => progress.print(`warning: ${visible(text)}`);
        return isOfOperator ? warningWithoutOperator({ ...session, warn }, call.terminal, timeoutMs, work) : work();
      });
    }
    const left = all.filter(({ unmet }) => unmet !== undefined);
    if (left.length > 0) throw new Failure(`no ${conditionText(condition)}: ${leftText(left)}`);
  });
};

async function waitTargetsOf(call: Call, session: Session, condition: WaitCondition): Promise<readonly WaitTarget[]> {
  const targets = await targetsOf(call, session);
  if (targets.length === 0) {
    if (condition.is === 'create')
      throw new UsageError('--for=create requires names: -l and --all find only existing objects');
    // All matching objects are already deleted.
    if (condition.is === 'delete') return [];
    throw nothingFound(call, session);
  }
  const wanted: WaitTarget[] = [];
  for (const target of targets) {
    const object = (await findTarget(session, target))?.object;
    if (object === undefined && condition.is !== 'create' && condition.is !== 'delete')
      throw await missing(session, target);
    const where = target.namespace === session.namespace ? '' : ` in ${target.namespace}`;
    wanted.push({ target, where, uid: object?.metadata.uid, unmet: unmetText(condition, object), isDeleted: false });
  }
  return wanted;
}

interface Waiting {
  readonly condition: WaitCondition;
  readonly all: readonly WaitTarget[];
  readonly met: (one: WaitTarget) => void;
  readonly progress: Progress;
}

/** Runs one watch per kind and namespace concurrently, until all conditions are met. */
async function until(call: Call, session: Session, waiting: Waiting): Promise<void> {
  const { all, progress } = waiting;
  const done = new AbortController();
  const signal = AbortSignal.any([progress.signal, done.signal]);
  const progressSession = { ...session, warn: (text: string) => progress.print(`warning: ${visible(text)}`) };
  const places = new Map(
    all.map(({ target }) => [`${target.kind.plural}/${target.kind.group}/${target.namespace}`, target]),
  );
  progress.update(stateText(all));
  try {
    await Promise.all(
      [...places.values()].map(async ({ kind, namespace }) => {
        const here = all.filter(({ target }) => target.kind === kind && target.namespace === namespace);
        for await (const step of follow(call.terminal, progressSession, kind, { namespace, signal })) {
          if (step.type === 'Listed') {
            const byName = new Map(step.objects.map((object) => [object.metadata.name, object]));
            for (const one of here) check(one, byName.get(one.target.name), waiting);
          } else {
            const { name } = step.object.metadata;
            const one = here.find(({ target }) => target.name === name);
            if (one) check(one, step.type === 'Deleted' ? undefined : step.object, waiting);
          }
          if (!isOpen(all)) done.abort();
          else progress.update(stateText(all));
        }
      }),
    );
  } finally {
    done.abort();
  }
}

function check(one: WaitTarget, object: Item['object'] | undefined, { condition, met, progress }: Waiting): void {
  if (one.unmet === undefined || one.isDeleted) return;
  const isOther = one.uid !== undefined && object?.metadata.uid !== one.uid;
  // The condition of a deleted object can no longer be met.
  if (isOther && condition.is !== 'delete') {
    one.isDeleted = true;
    one.unmet = 'it was deleted';
    return;
  }
  one.unmet = unmetText(condition, isOther ? undefined : object);
  if (one.unmet === undefined) progress.above(() => met(one));
}

function isOpen(all: readonly WaitTarget[]): boolean {
  return all.some(({ unmet, isDeleted }) => unmet !== undefined && !isDeleted);
}

function stateText(all: readonly WaitTarget[]): string {
  const left = all.filter(({ unmet }) => unmet !== undefined);
  const sofar = all.length === 1 ? '' : `${all.length - left.length} of ${plural(all.length, 'object')}, not `;
  return `${sofar}${leftText(left)}`;
}

function leftText(left: readonly WaitTarget[]): string {
  const named = left.slice(0, namedMax).map((one) => `${titleOf(one)}${one.where} (${visible(one.unmet ?? '')})`);
  const more = left.length > namedMax ? [`${left.length - namedMax} more`] : [];
  return [...named, ...more].join(', ');
}

function titleOf({ target: { kind, name } }: WaitTarget): string {
  return shortNameOf(kind, name);
}
