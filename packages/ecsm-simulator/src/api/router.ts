/**
 * Finds the route of a request in a tree of segments. A literal segment has precedence over a parameter, so that
 * `/service/summary` is not the service `summary`; the search backtracks if the literal does not match.
 */

export interface Endpoint {
  readonly method: string;
  /** `:name` stands for one segment. */
  readonly path: string;
}

interface Branch<R> {
  readonly literals: Map<string, Branch<R>>;
  parameter: Branch<R> | undefined;
  readonly routes: Map<string, R>;
}

type Match<R> =
  | { readonly kind: 'found'; readonly route: R; readonly parameters: ReadonlyMap<string, string> }
  /** The path exists with other methods. */
  | { readonly kind: 'wrongMethod'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown' };

export class Router<R extends Endpoint = Endpoint> {
  readonly #root: Branch<R> = branch();

  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /** `segments` are decoded. */
  match(method: string, segments: readonly string[]): Match<R> {
    const allowed = new Set<string>();
    for (const { routes } of matchingBranches(this.#root, segments, 0)) {
      const route = routes.get(method);
      if (route) return { kind: 'found', route, parameters: parametersOf(route, segments) };
      for (const other of routes.keys()) allowed.add(other);
    }
    return allowed.size > 0 ? { kind: 'wrongMethod', allowed: [...allowed].sort() } : { kind: 'unknown' };
  }

  #add(route: R): void {
    let at = this.#root;
    for (const segment of segmentsOf(route.path)) {
      if (segment.startsWith(':')) {
        at.parameter ??= branch<R>();
        at = at.parameter;
      } else {
        const next = at.literals.get(segment) ?? branch<R>();
        at.literals.set(segment, next);
        at = next;
      }
    }
    if (at.routes.has(route.method)) throw new RangeError(`${route.method} ${route.path} is defined twice`);
    at.routes.set(route.method, route);
  }
}

/** The segments of a path; a trailing slash is ignored. */
export function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\//, '').replace(/\/$/, '').split('/');
}

/** All branches with routes that match the segments, the most literal first. */
function* matchingBranches<R>(at: Branch<R>, segments: readonly string[], depth: number): Generator<Branch<R>> {
  const segment = segments[depth];
  if (segment === undefined) {
    if (at.routes.size > 0) yield at;
    return;
  }
  const literal = at.literals.get(segment);
  if (literal) yield* matchingBranches(literal, segments, depth + 1);
  // An id is never empty: `/service//ids` does not match.
  if (at.parameter && segment !== '') yield* matchingBranches(at.parameter, segments, depth + 1);
}

function parametersOf({ path }: Endpoint, segments: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [index, segment] of segmentsOf(path).entries()) {
    if (segment.startsWith(':')) parameters.set(segment.slice(1), segments[index] ?? '');
  }
  return parameters;
}

function branch<R>(): Branch<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}
