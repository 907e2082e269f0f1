/** `events`: lists events, newest last; with `-w` also watches for new ones. */

import { type Call, didYouMean, type Run, UsageError } from '@ecsm/command-line';
import {
  Event,
  type EventFields,
  type EventObject,
  type Kind,
  lastSeenOf,
  type Registry,
  timeMsOf,
} from '@ecsm/runtime';
import { follow } from '../shared/follow.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { formatOf, printerOf, printObjects } from '../shared/printing.ts';
import { knownKinds, withSession } from '../shared/session.ts';
import { flagIfSet, type Item, isOn, namespaceScope } from '../shared/targets.ts';

const shownColumns = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'COUNT', 'MESSAGE'];
/** Shows the count, which `get` shows with `-o wide` only. */
const shownKind: Kind<undefined, undefined> = {
  ...Event,
  columns: shownColumns.flatMap((name) =>
    Event.columns.filter((column) => column.name === name).map((column) => ({ ...column, wide: false })),
  ),
};

export const run: Run = async (call) => {
  const format = formatOf(call);
  const wanted = filterOf(call);
  const options = { format, bare: true };
  return withSession(call, async (session) => {
    if (isOn(call, 'watch')) {
      const printer = printerOf(call, shownKind, options);
      for await (const step of follow(call.terminal, session, Event, namespaceScope(session))) {
        if (step.type === 'Listed')
          await printer.print(inOrder(session.registry, step.objects.filter(wanted)).map(itemOf));
        else if (step.type !== 'Deleted' && wanted(step.object)) await printer.print([itemOf(step.object)]);
      }
      return;
    }
    const list = await session.registry.resource(Event).list(namespaceScope(session));
    for (const { key, reason } of list.problems) session.warn(`${key} cannot be read: ${reason}`);
    const events = inOrder(session.registry, list.items.filter(wanted));
    const isTable = ['table', 'wide', 'name'].includes(format.kind);
    if (events.length > 0 || !isTable) return printObjects(call, events.map(itemOf), options);
    const where = session.isAllNamespaces ? '' : ` in ${session.namespace} namespace`;
    call.terminal.err.write(`No events found${where}.\n`);
  });
};

/** Sorts the newest last. */
export function inOrder(registry: Registry, events: readonly EventObject[]): readonly EventObject[] {
  return events
    .map((event) => ({ event, timeMs: timeMsOf(lastSeenOf(event)) ?? 0, version: event.metadata.resourceVersion }))
    .sort((one, other) => {
      if (one.timeMs !== other.timeMs) return one.timeMs - other.timeMs;
      // Events of the same second keep the order in which they were written.
      if (registry.isNewer(one.version, other.version)) return 1;
      return registry.isNewer(other.version, one.version) ? -1 : 0;
    })
    .map(({ event }) => event);
}

function itemOf(object: EventObject): Item {
  return { kind: shownKind, object };
}

const eventTypes = ['Normal', 'Warning'];

/** `--for` and `--types`. Throws `UsageError`. */
function filterOf(call: Call): (event: EventObject) => boolean {
  const types = flagIfSet(call, 'types')
    ?.split(',')
    .map((word) => {
      const type = eventTypes.find((one) => one.toLowerCase() === word.trim().toLowerCase());
      if (type === undefined) throw new UsageError(`--types: unknown type "${word}".${didYouMean(word, eventTypes)}`);
      return type;
    });
  const word = flagIfSet(call, 'for');
  const about = word === undefined ? undefined : subjectOf(word);
  return (event) => {
    const { type = '', involvedObject } = Event.fieldsOf(event);
    return (!types || types.includes(type)) && (!about || about(involvedObject));
  };
}

/** Does not check that the object exists, because a deleted object has events, too. */
function subjectOf(word: string): (involved: EventFields['involvedObject']) => boolean {
  if (!word.includes('/')) throw new UsageError(`--for has to be KIND/NAME, not "${word}"`);
  const { objects = [] } = parseResourceArgs({ kinds: knownKinds }, [word]);
  return ({ apiVersion, kind, name }) =>
    objects.some((one) => one.kind.apiVersion === apiVersion && one.kind.kind === kind && one.name === name);
}
