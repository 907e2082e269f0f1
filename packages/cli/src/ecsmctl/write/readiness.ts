/** Waits until applied objects are observed by the operator and available. */

import { type Call, Failure, withProgress } from '@ecsm/command-line';
import { type Condition, findCondition, redactText } from '@ecsm/runtime';
import { shortNameOf } from '../shared/kinds.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';
import { type AnyObject, observe } from './observe.ts';

type Readiness =
  | { readonly is: 'ready' }
  | { readonly is: 'waiting'; readonly why: string }
  /** The object can no longer become ready. */
  | { readonly is: 'lost'; readonly why: string };

const ready: Readiness = { is: 'ready' };

/** `object` is undefined if it was deleted. */
function readinessOf({ kind }: Pick<Item, 'kind'>, object: AnyObject | undefined): Readiness {
  if (!object) return { is: 'lost', why: 'it was deleted' };
  if (object.metadata.deletionTimestamp !== undefined) return { is: 'lost', why: 'it is being deleted' };
  // A kind without conditions does not report availability.
  if (kind.status === undefined || !('conditions' in kind.status.properties)) return ready;
  const { observedGeneration, conditions } = statusOf(object);
  const degraded = findCondition(conditions, 'Degraded');
  if (degraded?.reason === 'PlatformRefused' && degraded.observedGeneration === object.metadata.generation) {
    // It may contain what the platform has reported.
    return { is: 'lost', why: redactText(degraded.message) };
  }
  if (observedGeneration !== object.metadata.generation) {
    return { is: 'waiting', why: 'the operator has not observed it yet' };
  }
  const available = findCondition(conditions, 'Available');
  if (available?.status === 'True') return ready;
  const count = kind.columns.find(({ name }) => name === 'READY')?.value(object);
  const parts = [count === undefined ? '' : `${count} ready`, redactText(available?.message ?? '')];
  return { is: 'waiting', why: parts.filter((part) => part !== '').join(', ') || 'no conditions are reported yet' };
}

interface KnownStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

function statusOf({ status }: AnyObject): KnownStatus {
  return isStatus(status) ? status : {};
}

/** The registry validates the status against the schema of the kind. */
function isStatus(status: unknown): status is KnownStatus {
  return typeof status === 'object' && status !== null;
}

/** Throws `Failure` at the deadline, and if one of them cannot become ready any more. */
export async function waitUntilReady(
  call: Call,
  session: Session,
  items: readonly Item[],
  timeoutMs: number,
): Promise<void> {
  const [first] = items;
  if (!first) return;
  const nameOf = ({ kind, object }: Item) => shortNameOf(kind, object.metadata.name);
  const what = items.length === 1 ? `${nameOf(first)} to be available` : `${items.length} objects to be available`;
  const states = new Map<Item, Readiness>();
  const remedy = `is ecsm-operator running? "${describeLine(session, first)}" shows details`;
  await withProgress(call.terminal, { what, timeoutMs, remedy }, async (progress) => {
    await observe(call.terminal, session, items, progress.signal, (item, object) => {
      const state = readinessOf(item, object);
      states.set(item, state);
      progress.update(stateText(items, states, nameOf));
      return state.is !== 'waiting';
    });
  });
  const lost = items.flatMap((item) => {
    const state = states.get(item);
    return state?.is === 'lost' ? [`${nameOf(item)} cannot become available: ${state.why}`] : [];
  });
  if (lost.length > 0) throw new Failure(lost.join('; '));
}

function describeLine({ namespace }: Session, { kind, object: { metadata } }: Item): string {
  const where = metadata.namespace === namespace ? '' : ` -n ${metadata.namespace}`;
  return `ecsmctl describe ${kind.singular} ${metadata.name}${where}`;
}

/** `1 of 3 available; ecsmservice/telemetry: 1/3 ready, …`. */
function stateText(
  items: readonly Item[],
  states: ReadonlyMap<Item, Readiness>,
  nameOf: (item: Item) => string,
): string {
  const waiting = items.flatMap((item) => {
    const state = states.get(item);
    return state?.is === 'waiting' ? [{ item, why: state.why }] : [];
  });
  const [next] = waiting;
  if (items.length === 1) return next?.why ?? '';
  const done = [...states.values()].filter(({ is }) => is === 'ready').length;
  const count = `${done} of ${items.length} available`;
  return next ? `${count}; ${nameOf(next.item)}: ${next.why}` : count;
}
