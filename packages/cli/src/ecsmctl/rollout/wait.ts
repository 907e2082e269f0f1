/** `ecsmctl wait --for=…`: until objects are as somebody wants them, or are gone. */

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
import { follow } from '../shared/follow.ts';
import { shortNameOf } from '../shared/kinds.ts';
import { type Session, withSession } from '../shared/session.ts';
import { findTarget, type Item, missing, type Target, targetsOf } from '../shared/targets.ts';
import { parseTime, timeoutMsOf } from '../shared/time-limits.ts';
import { nothingFound } from './targets.ts';
import { parseWish, unmetText, type Wish, wishText } from './wait-for.ts';

/** So many are named in one line. */
const namedMax = 20;

/** One object that is waited for. */
interface Wanted {
  readonly target: Target;
  /** Its namespace, where it is not the one that everybody thinks of. */
  readonly where: string;
  /** The very object, where there is one: another of the same name means that this one is gone. */
  readonly uid: string | undefined;
  /** What is there instead of what is wanted. Nothing: it is as wanted. */
  unmet: string | undefined;
  isGone: boolean;
}

export const run: Run = async (call) => {
  const text = call.flag('for');
  if (text === undefined) throw new UsageError('specify what to wait for: --for=condition=Available, or --for=delete');
  const wish = parseWish(text);
  // 0 looks once, as kubectl has it.
  const isOnce = parseTime(call.flag('timeout') ?? '') === 0;
  const timeoutMs = timeoutMsOf(call);
  await withSession(call, async (session) => {
    const all = await wantedOf(call, session, wish);
    const met = (one: Wanted) => call.terminal.out.write(`${titleOf(one)} condition met\n`);
    for (const one of all) if (one.unmet === undefined) met(one);
    if (!isOnce && isOpen(all)) {
      const what = wishText(wish);
      await withProgress(call.terminal, { what, timeoutMs }, (progress) =>
        until(call, session, { wish, all, met, progress }),
      );
    }
    const left = all.filter(({ unmet }) => unmet !== undefined);
    if (left.length > 0) throw new Failure(`no ${wishText(wish)}: ${leftText(left)}`);
  });
};

async function wantedOf(call: Call, session: Session, wish: Wish): Promise<readonly Wanted[]> {
  const targets = await targetsOf(call, session);
  if (targets.length === 0) {
    if (wish.is === 'create')
      throw new UsageError('--for=create requires names: -l and --all find only existing objects');
    // Nothing is left of what should be deleted.
    if (wish.is === 'delete') return [];
    throw nothingFound(call, session);
  }
  const wanted: Wanted[] = [];
  for (const target of targets) {
    const object = (await findTarget(session, target))?.object;
    if (object === undefined && wish.is !== 'create' && wish.is !== 'delete') throw await missing(session, target);
    const where = target.namespace === session.namespace ? '' : ` in ${target.namespace}`;
    wanted.push({ target, where, uid: object?.metadata.uid, unmet: unmetText(wish, object), isGone: false });
  }
  return wanted;
}

interface Waiting {
  readonly wish: Wish;
  readonly all: readonly Wanted[];
  readonly met: (one: Wanted) => void;
  readonly progress: Progress;
}

/** One watch for each kind and namespace, all at the same time, until nothing is open. */
async function until(call: Call, session: Session, waiting: Waiting): Promise<void> {
  const { all, progress } = waiting;
  const done = new AbortController();
  const signal = AbortSignal.any([progress.signal, done.signal]);
  const talking = { ...session, warn: (text: string) => progress.print(`warning: ${visible(text)}`) };
  const places = new Map(
    all.map(({ target }) => [`${target.kind.plural}/${target.kind.group}/${target.namespace}`, target]),
  );
  progress.update(stateText(all));
  try {
    await Promise.all(
      [...places.values()].map(async ({ kind, namespace }) => {
        const here = all.filter(({ target }) => target.kind === kind && target.namespace === namespace);
        for await (const step of follow(call.terminal, talking, kind, { namespace, signal })) {
          if (step.type === 'Listed') {
            const byName = new Map(step.objects.map((object) => [object.metadata.name, object]));
            for (const one of here) look(one, byName.get(one.target.name), waiting);
          } else {
            const { name } = step.object.metadata;
            const one = here.find(({ target }) => target.name === name);
            if (one) look(one, step.type === 'Deleted' ? undefined : step.object, waiting);
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

function look(one: Wanted, object: Item['object'] | undefined, { wish, met, progress }: Waiting): void {
  if (one.unmet === undefined || one.isGone) return;
  const isOther = one.uid !== undefined && object?.metadata.uid !== one.uid;
  // Who waits for something else than its end will wait in vain.
  if (isOther && wish.is !== 'delete') {
    one.isGone = true;
    one.unmet = 'it was deleted';
    return;
  }
  one.unmet = unmetText(wish, isOther ? undefined : object);
  if (one.unmet === undefined) progress.above(() => met(one));
}

function isOpen(all: readonly Wanted[]): boolean {
  return all.some(({ unmet, isGone }) => unmet !== undefined && !isGone);
}

function stateText(all: readonly Wanted[]): string {
  const left = all.filter(({ unmet }) => unmet !== undefined);
  const sofar = all.length === 1 ? '' : `${all.length - left.length} of ${plural(all.length, 'object')}, not `;
  return `${sofar}${leftText(left)}`;
}

function leftText(left: readonly Wanted[]): string {
  const named = left.slice(0, namedMax).map((one) => `${titleOf(one)}${one.where} (${visible(one.unmet ?? '')})`);
  const more = left.length > namedMax ? [`${left.length - namedMax} more`] : [];
  return [...named, ...more].join(', ');
}

function titleOf({ target: { kind, name } }: Wanted): string {
  return shortNameOf(kind, name);
}
