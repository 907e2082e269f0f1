/** The objects on a command line: `services a b`, `service/a node/b`, `nodes,services`, or the bare name of a service. */
import { didYouMean, UsageError } from '@ecsm/command-line';
import { type Kind, kindNames, kindOf, kinds } from './kinds.ts';

export interface Target {
  readonly kind: Kind;
  /** Empty: all objects of the kind. */
  readonly names: readonly string[];
}

/** For read commands: with or without names. Throws `UsageError`. */
export function targetsOf(words: readonly string[]): readonly Target[] {
  const [first = '', ...others] = words;
  if (first.includes('/')) return slashTargetsOf(words);
  const repeated = others.find((word) => word.includes('/') && kindOf(word.slice(0, word.indexOf('/'))));
  if (repeated !== undefined)
    throw new UsageError(`"${repeated}" repeats the kind: write KIND NAME... or KIND/NAME...`);
  const kindsOf = first.split(',').map(kindNamed);
  if (kindsOf.length > 1 && others.length > 0)
    throw new UsageError(`names can be given for one kind only, not for "${first}"`);
  return [...new Set(kindsOf)].map((kind) => ({ kind, names: unique(others) }));
}

/** For change commands: always with names, of the allowed kinds. A bare name is a service. Throws `UsageError`. */
export function namedTargets(words: readonly string[], allowed: readonly Kind[]): readonly Target[] {
  const [first = '', ...others] = words;
  const isKind = kindOf(first) !== undefined;
  if (isKind && others.length === 0) throw new UsageError(`a name is required: ${kindOf(first)} NAME`);
  const isBare = !isKind && !words.some((word) => word.includes('/') && kindOf(word.slice(0, word.indexOf('/'))));
  const targets = isBare ? [{ kind: 'service' as const, names: unique(words) }] : targetsOf(words);
  for (const { kind } of targets) {
    if (allowed.includes(kind)) continue;
    const those = allowed.map((one) => kindNames[one].plural).join(' or ');
    throw new UsageError(`this command is for ${those}, not for ${kindNames[kind].plural}`);
  }
  return targets;
}

/** The single service on a command line: `NAME`, `service NAME` or `service/NAME`. Throws `UsageError`. */
export function namedService(words: readonly string[]): string {
  const [target, another] = namedTargets(words, ['service']);
  const [name, second] = target?.names ?? [];
  if (another || second !== undefined)
    throw new UsageError(`only one service is allowed: "${second ?? words.at(-1)}" is another one`);
  return name ?? '';
}

function slashTargetsOf(words: readonly string[]): readonly Target[] {
  const byKind = new Map<Kind, string[]>();
  for (const word of words) {
    const slash = word.indexOf('/');
    if (slash === -1) throw new UsageError(`"${word}" has no kind: write KIND/NAME for all of them, or KIND NAME...`);
    const kind = kindNamed(word.slice(0, slash));
    const name = word.slice(slash + 1);
    if (name === '') throw new UsageError(`"${word}" has no name after the slash`);
    byKind.set(kind, [...(byKind.get(kind) ?? []), name]);
  }
  return [...byKind].map(([kind, all]) => ({ kind, names: unique(all) }));
}

function kindNamed(word: string): Kind {
  const kind = kindOf(word);
  if (kind !== undefined) return kind;
  const known = kinds.map((one) => kindNames[one].plural);
  throw new UsageError(`there is no kind "${word}".${didYouMean(word, known)}`);
}

function unique(all: readonly string[]): readonly string[] {
  return [...new Set(all)];
}
