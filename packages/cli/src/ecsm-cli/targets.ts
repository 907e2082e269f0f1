/** What a command line names: `services a b`, `service/a node/b`, `nodes,services`, or a bare name of a service. */
import { didYouMean, UsageError } from '@ecsm/command-line';
import { type Kind, kindOf, kinds, names } from './names.ts';

export interface Target {
  readonly kind: Kind;
  /** None: all of them. */
  readonly names: readonly string[];
}

/** For commands that show: with or without names. Throws `UsageError`. */
export function targetsOf(words: readonly string[]): readonly Target[] {
  const [first = '', ...others] = words;
  if (first.includes('/')) return named(words);
  const stray = others.find((word) => word.includes('/') && kindOf(word.slice(0, word.indexOf('/'))));
  if (stray !== undefined) throw new UsageError(`"${stray}" repeats the kind: write KIND NAME... or KIND/NAME...`);
  const kindsOf = first.split(',').map(kindNamed);
  if (kindsOf.length > 1 && others.length > 0)
    throw new UsageError(`names can be given for one kind only, not for "${first}"`);
  return [...new Set(kindsOf)].map((kind) => ({ kind, names: unique(others) }));
}

/** For commands that change: always with names, of these kinds. A bare name is that of a service. */
export function namedTargets(words: readonly string[], allowed: readonly Kind[]): readonly Target[] {
  const [first = '', ...others] = words;
  const isKind = kindOf(first) !== undefined;
  if (isKind && others.length === 0) throw new UsageError(`a name is required: ${kindOf(first)} NAME`);
  const isBare = !isKind && !words.some((word) => word.includes('/') && kindOf(word.slice(0, word.indexOf('/'))));
  const targets = isBare ? [{ kind: 'service' as const, names: unique(words) }] : targetsOf(words);
  for (const { kind } of targets) {
    if (allowed.includes(kind)) continue;
    const those = allowed.map((one) => names[one].plural).join(' or ');
    throw new UsageError(`this command is for ${those}, not for ${names[kind].plural}`);
  }
  return targets;
}

/** The one service that the words name: `NAME`, `service NAME` or `service/NAME`. */
export function namedService(words: readonly string[]): string {
  const [target, another] = namedTargets(words, ['service']);
  const [name, second] = target?.names ?? [];
  if (another || second !== undefined)
    throw new UsageError(`only one service is allowed: "${second ?? words.at(-1)}" is another one`);
  return name ?? '';
}

function named(words: readonly string[]): readonly Target[] {
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
  const known = kinds.map((one) => names[one].plural);
  throw new UsageError(`there is no kind "${word}".${didYouMean(word, known)}`);
}

function unique(all: readonly string[]): readonly string[] {
  return [...new Set(all)];
}
