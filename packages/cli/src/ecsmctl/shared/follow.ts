/**
 * Objects and their changes, until the signal aborts. Lists, then watches; when the history has expired it relists and
 * yields the differences, and when the registry is unavailable it retries.
 *
 *     listing → watching → (Expired) listing
 *        ↑         ↓ (unavailable)
 *        └──── waiting
 */

import { duration, type Terminal } from '@ecsm/command-line';
import { type ApiObject, backoffMs, isApiError, type Kind, type ListOptions, sleep } from '@ecsm/runtime';
import type { Session } from './session.ts';

interface FollowOptions extends Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  /** Ends the iteration without an error. Default: the signal of the terminal. */
  readonly signal?: AbortSignal;
}

type Step<Object> =
  /** All objects; yielded once, first. */
  | { readonly type: 'Listed'; readonly objects: readonly Object[] }
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: Object };

const retryMsMin = 500;
const retryMsMax = 30_000;

/**
 * Ends when the signal aborts. Throws an error of the first list; later retryable errors are warnings, once when they
 * start and once when they end.
 */
export async function* follow<Spec, Status, SpecInput, StatusInput>(
  terminal: Terminal,
  { registry, warn }: Session,
  kind: Kind<Spec, Status, SpecInput, StatusInput>,
  { signal = terminal.signal, ...selection }: FollowOptions = {},
): AsyncGenerator<Step<ApiObject<Spec, Status>>, void> {
  const resource = registry.resource(kind);
  /** The last yielded state of each object, by uid. */
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
            record(known, event);
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

function record<Spec, Status>(
  known: Map<string, ApiObject<Spec, Status>>,
  { type, object }: Change<ApiObject<Spec, Status>>,
): void {
  if (type === 'Deleted') known.delete(object.metadata.uid);
  else known.set(object.metadata.uid, object);
}

/** The changes between the known objects and a list. */
function* differences<Spec, Status>(
  known: Map<string, ApiObject<Spec, Status>>,
  objects: readonly ApiObject<Spec, Status>[],
): Generator<Change<ApiObject<Spec, Status>>, void> {
  const current = new Set(objects.map(({ metadata }) => metadata.uid));
  const deleted = [...known.values()].filter(({ metadata }) => !current.has(metadata.uid));
  const changes: Change<ApiObject<Spec, Status>>[] = deleted.map((object) => ({ type: 'Deleted', object }));
  for (const object of objects) {
    const before = known.get(object.metadata.uid);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
    changes.push({ type: before ? 'Modified' : 'Added', object });
  }
  for (const change of changes) {
    record(known, change);
    yield change;
  }
}
