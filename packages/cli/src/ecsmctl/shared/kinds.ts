/** Parses the names of kinds and objects on the command line. */

import { didYouMean, nearest, UsageError } from '@ecsm/command-line';
import { ambiguity, type Kind, type KindSet } from '@ecsm/runtime';

/** Implemented by registries and sessions. */
interface KnownKinds {
  readonly kinds: KindSet;
}

/** Words of users of kubectl for what only the platform has, and what `ecsm-cli` calls it. */
const platformKinds: Readonly<Record<string, string>> = Object.fromEntries([
  ...['nodes', 'node', 'no'].map((word) => [word, 'nodes']),
  ...['pods', 'pod', 'po', 'containers', 'container', 'co'].map((word) => [word, 'containers']),
  ...['images', 'image'].map((word) => [word, 'images']),
]);

/** Minimum length of a suffix that selects a kind. */
const endingMin = 4;

/**
 * Finds a kind by kind, plural, singular or short name (case-insensitive), by `plural.group`, or by a suffix of plural or
 * singular that is unique: `services` selects `ecsmservices`. Throws `UsageError`.
 */
export function findKind({ kinds }: KnownKinds, word: string): Kind {
  const named = kinds.allNamed(word);
  if (named.length > 1) throw new UsageError(ambiguity(word, named));
  const ending = word.toLowerCase();
  const [found, ...others] =
    named.length > 0
      ? named
      : kinds.kinds.filter(
          ({ plural, singular }) =>
            ending.length >= endingMin && (plural.endsWith(ending) || singular.endsWith(ending)),
        );
  if (found && others.length === 0) return found;
  const elsewhere = platformKinds[ending];
  if (elsewhere !== undefined) {
    throw new UsageError(
      `there is no kind "${word}" in the registry: ${elsewhere} are on the platform, use "ecsm-cli get ${elsewhere}"`,
    );
  }
  if (/^(ns|namespaces?)$/.test(ending)) {
    throw new UsageError(
      `there is no kind "${word}" in the registry: a namespace exists while an object is in it; "ecsmctl get all -A" shows them`,
    );
  }
  throw new UsageError(`there is no kind "${word}".${hintFor(kinds, ending)}`);
}

function hintFor({ kinds }: KindSet, word: string): string {
  const near = nearest(
    word,
    kinds.flatMap(({ kind, plural, singular, shortNames }) => [plural, singular, ...shortNames, kind.toLowerCase()]),
  );
  return near === undefined
    ? didYouMean(
        '',
        kinds.map(({ plural }) => plural),
      )
    : ` Did you mean "${near}"?`;
}

/** The form in which commands print and accept an object: `ecsmservice/telemetry`. */
export function shortNameOf(kind: Kind, name: string): string {
  return `${kind.singular}/${name}`;
}

/** A named object without its namespace. */
interface NamedObject {
  readonly kind: Kind;
  readonly name: string;
}

interface ResourceArgs {
  /** The named kinds, in order, without duplicates. */
  readonly kinds: readonly Kind[];
  /** Absent: no names were given, so all objects of the kinds are selected. */
  readonly objects?: readonly NamedObject[];
}

/**
 * `services a b`, `service/a lease/b`, `services,revisions`, `all`. Names after several kinds apply to each kind.
 * Throws `UsageError`.
 */
export function parseResourceArgs(known: KnownKinds, words: readonly string[]): ResourceArgs {
  const [first = '', ...names] = words;
  const kindWords = [...known.kinds.kinds.map(({ plural }) => plural)];
  if (first === '') throw new UsageError(`specify a kind, such as ${kindWords[0] ?? 'KIND'}, or KIND/NAME`);
  if (words.some((word) => word.includes('/'))) return parseSlashes(known, words);
  const kinds = unique(first.split(',').flatMap((word) => kindsOf(known, word, first)));
  for (const name of names) checkName(name);
  if (names.length === 0) return { kinds };
  return { kinds, objects: unique(names).flatMap((name) => kinds.map((kind) => ({ kind, name }))) };
}

function kindsOf(known: KnownKinds, word: string, whole: string): readonly Kind[] {
  if (word === '') throw new UsageError(`"${whole}" contains an empty kind: write KIND,KIND`);
  const category = known.kinds.inCategory(word.toLowerCase());
  return category.length > 0 ? category : [findKind(known, word)];
}

function parseSlashes(known: KnownKinds, words: readonly string[]): ResourceArgs {
  const objects = unique(words).map((word) => {
    const [kindWord = '', name = '', ...more] = word.split('/');
    if (kindWord === '' || name === '' || more.length > 0) {
      const others = words.length > 1 ? ', but other arguments are' : '';
      throw new UsageError(`"${word}" is not KIND/NAME${others}: write KIND NAME... or KIND/NAME KIND/NAME...`);
    }
    checkName(name);
    return { kind: findKind(known, kindWord), name };
  });
  return { kinds: unique(objects.map(({ kind }) => kind)), objects };
}

/** An invalid name is a usage error, not a missing object. */
function checkName(name: string): void {
  if (/^[A-Za-z0-9]([-A-Za-z0-9.]{0,251}[A-Za-z0-9])?$/.test(name)) return;
  const separator = name.includes(',') ? ': separate names with spaces' : ': use a-z, 0-9 and "-"';
  throw new UsageError(`"${name}" is not a valid object name${separator}`);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
