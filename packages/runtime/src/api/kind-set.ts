/** The kinds of a program, and the names that users call them by. */
import { didYouMean, nearest } from '../lib/nearest.ts';
import { ApiError } from './errors.ts';
import type { Kind } from './kind.ts';

export class KindSet {
  readonly kinds: readonly Kind[];
  readonly #byType = new Map<string, Kind>();
  readonly #byName = new Map<string, Kind[]>();

  /** Of two versions of a kind, the first one in `kinds` is preferred. */
  constructor(kinds: Iterable<Kind>) {
    this.kinds = Object.freeze([...kinds]);
    for (const kind of this.kinds) {
      const type = typeKey(kind.apiVersion, kind.kind);
      if (this.#byType.has(type)) {
        throw new ApiError('Internal', { reason: `kind ${kind.kind} of ${kind.apiVersion} is defined twice` });
      }
      this.#byType.set(type, kind);
      for (const name of namesOf(kind)) {
        const others = this.#byName.get(name) ?? [];
        if (!others.some((other) => other.group === kind.group)) this.#byName.set(name, [...others, kind]);
      }
    }
  }

  find(apiVersion: string, kind: string): Kind | undefined {
    return this.#byType.get(typeKey(apiVersion, kind));
  }

  /** Like `find`, but throws BadRequest that names the nearest kind. */
  get(apiVersion: string, kind: string): Kind {
    const found = this.find(apiVersion, kind);
    if (found !== undefined) return found;
    throw new ApiError('BadRequest', {
      reason: `no kind "${kind}" in "${apiVersion}": ${this.suggest(apiVersion, kind)}`,
    });
  }

  /** A suggestion for an unknown kind or version. */
  suggest(apiVersion: string, kind: string): string {
    const versions = this.kinds.filter((known) => known.kind === kind).map((known) => known.apiVersion);
    if (versions.length > 0) return didYouMean(apiVersion, versions, `versions of ${kind}`);
    return didYouMean(
      kind,
      this.kinds.map((known) => known.kind),
      'known kinds',
    );
  }

  /** All kinds with a plural, singular, short name or kind, case-insensitive, also as `plural.group`: one per group. */
  allNamed(name: string): readonly Kind[] {
    return this.#byName.get(name.toLowerCase()) ?? [];
  }

  /** Like `allNamed`, but throws BadRequest unless there is exactly one. */
  named(name: string): Kind {
    const [found, ...others] = this.allNamed(name);
    if (found === undefined) {
      const near = nearest(name, this.#byName.keys());
      const plurals = this.kinds.map((kind) => kind.plural);
      const hint = near === undefined ? didYouMean(name, plurals, 'known types') : `did you mean "${near}"?`;
      throw new ApiError('BadRequest', { reason: `unknown resource type "${name}": ${hint}` });
    }
    if (others.length > 0) {
      throw new ApiError('BadRequest', { reason: ambiguity(name, [found, ...others]) });
    }
    return found;
  }

  /** The kinds in a category such as `all`. */
  inCategory(category: string): readonly Kind[] {
    return this.kinds.filter((kind) => kind.categories.includes(category));
  }
}

/** `"gadgets" is ambiguous: use gadgets.a.io or gadgets.b.io` */
export function ambiguity(name: string, kinds: readonly Kind[]): string {
  const choices = kinds.map(qualifiedPlural).join(' or ');
  return `"${name}" is ambiguous: use ${choices}`;
}

/** `ecsmservices.ecsm.sh`; the plural alone for core kinds. */
export function qualifiedPlural({ plural, group }: Pick<Kind, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function typeKey(apiVersion: string, kind: string): string {
  return `${apiVersion}/${kind}`;
}

function namesOf({ kind, plural, singular, shortNames, group }: Kind): Set<string> {
  const names = [plural, singular, ...shortNames, kind.toLowerCase()];
  return new Set(group === '' ? names : [...names, ...names.map((name) => `${name}.${group}`)]);
}
