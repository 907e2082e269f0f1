/** Names for completion: kinds, and the objects and namespaces that there are. */
import type { Call, OutputStream } from '@ecsm/command-line';
import { findKind, shortNameOf } from './kinds.ts';
import { knownKinds, type Session, withSession } from './session.ts';
import { spaceOf } from './targets.ts';

/** More help nobody, and cost time. */
const namesMax = 500;

/** For `KIND [NAME...]` and `KIND/NAME`. */
export async function resourceWords(call: Call): Promise<readonly string[]> {
  const [first] = call.words;
  if (first === undefined) return kindNames(true);
  if (first.includes('/')) return [];
  const kind = findKind({ kinds: knownKinds }, first);
  const names = await namesOf(call, kind.plural);
  return names.filter((name) => !call.words.includes(name));
}

/** `KIND/NAME`, for flags that name one object. */
export async function slashedNames(call: Call): Promise<readonly string[]> {
  return quietly(call, async (session) => {
    const found: string[] = [];
    for (const kind of session.kinds.inCategory('all')) {
      const { keys } = await session.registry.resource(kind).versions({ ...spaceOf(session), limit: namesMax });
      for (const key of keys) found.push(shortNameOf(kind, session.registry.locate(key)?.name ?? ''));
    }
    return found;
  });
}

/** With what each is. */
export async function kindNames(withCategories = false): Promise<readonly string[]> {
  const names = knownKinds.kinds.map(({ plural, description }) => `${plural}\t${description}`);
  return withCategories ? [...names, 'all\tall kinds that users create'] : names;
}

/** The objects of a kind in the namespace, or in all of them with `-A`. */
export async function namesOf(call: Call, kindWord: string): Promise<readonly string[]> {
  return quietly(call, async (session) => {
    const kind = findKind(session, kindWord);
    const { keys } = await session.registry.resource(kind).versions({ ...spaceOf(session), limit: namesMax });
    return keys.map((key) => session.registry.locate(key)?.name ?? '').filter((name) => name !== '');
  });
}

export async function namespaces(call: Call): Promise<readonly string[]> {
  return quietly(call, async ({ registry }) => {
    const found = new Set<string>();
    for (const kind of registry.kinds.kinds) {
      const { keys } = await registry.resource(kind).versions();
      for (const key of keys) found.add(registry.locate(key)?.namespace ?? '');
    }
    return [...found].filter((name) => name !== '').sort();
  });
}

const silence: OutputStream = {
  write() {},
  async drained() {},
  isTerminal: false,
  isColoured: false,
  canRepaint: false,
  columns: undefined,
  rows: undefined,
  isClosed: false,
};

/** Nobody who is typing wants to be warned. */
function quietly<T>(call: Call, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession({ ...call, terminal: { ...call.terminal, err: silence } }, work);
}
