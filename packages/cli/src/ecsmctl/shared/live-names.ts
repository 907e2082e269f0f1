/** Names for completion: kinds, and existing objects and namespaces. */
import type { Call, OutputStream } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { findKind, shortNameOf } from './kinds.ts';
import { knownKinds, type Session, withSession } from './session.ts';
import { namespaceScope } from './targets.ts';

/** Longer lists are not useful and take time. */
const namesMax = 500;

/** For `KIND [NAME...]` and `KIND/NAME`. */
export async function completeResourceArgs(call: Call, typed = ''): Promise<readonly string[]> {
  const [first] = call.words;
  const slash = typed.indexOf('/');
  if (slash !== -1 && (first === undefined || first.includes('/'))) {
    const kindWord = typed.slice(0, slash);
    const names = (await namesOf(call, kindWord)).map((name) => `${kindWord}/${name}`);
    return names.filter((name) => !call.words.includes(name));
  }
  if (first === undefined) return kindNames(true);
  if (first.includes('/')) return [];
  const kind = findKind({ kinds: knownKinds }, first);
  const names = await namesOf(call, kind.plural);
  return names.filter((name) => !call.words.includes(name));
}

/** The same for commands of services only. */
export async function completeServiceArgs(call: Call): Promise<readonly string[]> {
  if (call.words.length > 0) return completeResourceArgs(call);
  return ['services', ...(await namesOf(call, 'services')).map((name) => `service/${name}`)];
}

/** `KIND/NAME`, for flags that name one object. */
export async function completeKindSlashName(call: Call): Promise<readonly string[]> {
  return withSilentSession(call, async (session) => {
    const found: string[] = [];
    for (const kind of session.kinds.inCategory('all')) {
      const { keys } = await session.registry.resource(kind).versions({ ...namespaceScope(session), limit: namesMax });
      for (const key of keys) found.push(shortNameOf(kind, session.registry.locate(key)?.name ?? ''));
    }
    return found;
  });
}

/** Short words for the kind that is named most. */
const serviceWords = ['services', 'svc'];

/** Kinds with their descriptions. */
export async function kindNames(withCategories = false): Promise<readonly string[]> {
  const names = knownKinds.kinds.map(({ plural, description }) => `${plural}\t${description}`);
  const aliases = serviceWords.map((word) => `${word}\tthe same as ${ECSMService.plural}`);
  return withCategories ? [...names, ...aliases, 'all\tall kinds that users create'] : names;
}

/** The objects of a kind in the namespace, or in all of them with `-A`. */
async function namesOf(call: Call, kindWord: string): Promise<readonly string[]> {
  return withSilentSession(call, async (session) => {
    const kind = findKind(session, kindWord);
    const { keys } = await session.registry.resource(kind).versions({ ...namespaceScope(session), limit: namesMax });
    return keys.map((key) => session.registry.locate(key)?.name ?? '').filter((name) => name !== '');
  });
}

export async function namespaces(call: Call): Promise<readonly string[]> {
  return withSilentSession(call, async ({ registry }) => {
    const found = new Set<string>();
    for (const kind of registry.kinds.kinds) {
      const { keys } = await registry.resource(kind).versions();
      for (const key of keys) found.add(registry.locate(key)?.namespace ?? '');
    }
    return [...found].filter((name) => name !== '').sort();
  });
}

const discardedOutput: OutputStream = {
  write() {},
  async drained() {},
  isTerminal: false,
  isColoured: false,
  canRepaint: false,
  columns: undefined,
  rows: undefined,
  isClosed: false,
};

/** Warnings would appear in the line that is being typed. */
function withSilentSession<T>(call: Call, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession({ ...call, terminal: { ...call.terminal, err: discardedOutput } }, work);
}
