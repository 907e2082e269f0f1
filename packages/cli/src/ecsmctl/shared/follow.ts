/**
 * Objects and their changes, for as long as somebody wants to know. It lists, then watches; when the history it needs is
 * gone it lists again and tells what is different, and when the registry does not answer it tries again.
 *
 *     listing → watching → (Expired) listing
 *        ↑         ↓ (does not answer)
 *        └──── waiting
 */

import { duration, type Terminal } from '@ecsm/command-line';
import { type ApiObject, backoffMs, isApiError, type Kind, type ListOptions, sleep } from '@ecsm/runtime';
import type { Session } from './session.ts';

export interface FollowOptions extends Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  /** Ends it quietly. Default: the terminal's. */
  readonly signal?: AbortSignal;
}

export type Step<Object> =
  /** Everything there is, once, at the beginning. */
  | { readonly type: 'Listed'; readonly objects: readonly Object[] }
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: Object };

const retryMsMin = 500;
const retryMsMax = 30_000;

/**
 * Ends when the signal aborts. An error of the first list is thrown; later ones that may pass are told as warnings, once
 * when they begin and once when they are over.
 */
export async function* follow<Spec, Status, SpecInput, StatusInput>(
  terminal: Terminal,
  { registry, warn }: Session,
  kind: Kind<Spec, Status, SpecInput, StatusInput>,
  { signal = terminal.signal, ...selection }: FollowOptions = {},
): AsyncGenerator<Step<ApiObject<Spec, Status>>, void> {
  const resource = registry.resource(kind);
  /** What was last told of each object. */
  const known = new Map<string, ApiObject<Spec, Status>>();
  let isFirst = true;
  let contactMs = terminal.clock.monotonicMs();
  let failures = 0;
  while (!signal.aborted) {
    try {
      const list = await resource.list(selection);
      if (failures > 0) warn('the registry is reachable again');
      failures = 0;
      for (const { key, reason } of list.problems) warn(`${key} cannot be read: ${reason}`);
      if (isFirst) {
        isFirst = false;
        for (const object of list.items) known.set(object.metadata.uid, object);
        yield { type: 'Listed', objects: list.items };
      } else yield* differences(known, list.items);
      for await (const { events } of resource.watch({ ...selection, resourceVersion: list.resourceVersion, signal })) {
        contactMs = terminal.clock.monotonicMs();
        for (const event of events) {
          if (event.type === 'Problem') warn(`${event.key} cannot be read: ${event.reason}`);
          else {
            remember(known, event);
            yield event;
          }
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isApiError(error)) throw error;
      if (error.code === 'Expired') continue;
      if (error.retry !== 'retry') throw error;
      if (failures++ === 0) {
        warn(`${error.message}; last contact ${duration(terminal.clock.monotonicMs() - contactMs)} ago, retrying`);
      }
      await sleep(terminal.clock, backoffMs(failures - 1, retryMsMin, retryMsMax), signal);
    }
  }
}

type Change<Object> = Extract<Step<Object>, { readonly object: Object }>;

function remember<Spec, Status>(
  known: Map<string, ApiObject<Spec, Status>>,
  { type, object }: Change<ApiObject<Spec, Status>>,
): void {
  if (type === 'Deleted') known.delete(object.metadata.uid);
  else known.set(object.metadata.uid, object);
}

/** What a list says that was not known before. */
function* differences<Spec, Status>(
  known: Map<string, ApiObject<Spec, Status>>,
  objects: readonly ApiObject<Spec, Status>[],
): Generator<Change<ApiObject<Spec, Status>>, void> {
  const there = new Set(objects.map(({ metadata }) => metadata.uid));
  const gone = [...known.values()].filter(({ metadata }) => !there.has(metadata.uid));
  const changes: Change<ApiObject<Spec, Status>>[] = gone.map((object) => ({ type: 'Deleted', object }));
  for (const object of objects) {
    const before = known.get(object.metadata.uid);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
    changes.push({ type: before ? 'Modified' : 'Added', object });
  }
  for (const change of changes) {
    remember(known, change);
    yield change;
  }
}
