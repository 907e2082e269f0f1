/** `events`: lists events, newest last; with `-w` also watches for new ones. */

import { type Call, didYouMean, type Run, UsageError } from '@ecsm/command-line';
import { Event, type ObjectOf, type Registry } from '@ecsm/runtime';
import { follow } from '../shared/follow.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { formatOf, printerOf, printObjects } from '../shared/printing.ts';
import { knownKinds, withSession } from '../shared/session.ts';
import { flagIfSet, type Item, isOn, namespaceScope } from '../shared/targets.ts';

export type EventObject = ObjectOf<typeof Event>;

export const run: Run = async (call) => {
  const format = formatOf(call);
  const wanted = filterOf(call);
  const options = { format, bare: true };
  return withSession(call, async (session) => {
    if (isOn(call, 'watch')) {
      const printer = printerOf(call, Event, options);
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

/** Sorts the newest last. All timestamps have the same format, so they sort as strings. */
export function inOrder(registry: Registry, events: readonly EventObject[]): readonly EventObject[] {
  return [...events].sort((one, other) => {
    const [first, second] = [one.spec.lastTimestamp, other.spec.lastTimestamp];
    if (first !== second) return first < second ? -1 : 1;
    // Events of the same second keep the order in which they were written.
    const [version, than] = [one.metadata.resourceVersion, other.metadata.resourceVersion];
    if (registry.isNewer(version, than)) return 1;
    return registry.isNewer(than, version) ? -1 : 0;
  });
}

function itemOf(object: EventObject): Item {
  return { kind: Event, object };
}

const eventTypes = ['Normal', 'Warning'];

/** `--for` and `--types`. Throws `UsageError`. */
function filterOf(call: Call): (event: EventObject) => boolean {
  const types = (flagIfSet(call, 'types') ?? eventTypes.join(',')).split(',').map((word) => {
    const type = eventTypes.find((one) => one.toLowerCase() === word.trim().toLowerCase());
    if (type === undefined) throw new UsageError(`--types: unknown type "${word}".${didYouMean(word, eventTypes)}`);
    return type;
  });
  const word = flagIfSet(call, 'for');
  const about = word === undefined ? undefined : subjectOf(word);
  return ({ spec: { type, regarding } }) => types.includes(type) && (!about || about(regarding));
}

/** Does not check that the object exists, because a deleted object has events, too. */
function subjectOf(word: string): (regarding: EventObject['spec']['regarding']) => boolean {
  if (!word.includes('/')) throw new UsageError(`--for has to be KIND/NAME, not "${word}"`);
  const { objects = [] } = parseResourceArgs({ kinds: knownKinds }, [word]);
  return ({ apiVersion, kind, name }) =>
    objects.some((one) => one.kind.apiVersion === apiVersion && one.kind.kind === kind && one.name === name);
}
