/** Finds the routes of a path. */

export interface Route {
  readonly method: string;
  /** `/sim/nodes/:node/cut`; `:node` stands for one segment. */
  readonly path: string;
}

export type Parameters = Readonly<Record<string, string>>;

export interface Match<R extends Route> {
  readonly route: R;
  readonly parameters: Parameters;
}

/** One for each method that the path knows. */
export function routesOf<R extends Route>(routes: readonly R[], path: string): readonly Match<R>[] {
  const segments = path.split('/');
  return routes.flatMap((route) => {
    const parameters = parametersOf(route.path.split('/'), segments);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Parameters | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [place, part] of pattern.entries()) {
    const segment = segments[place] ?? '';
    if (part.startsWith(':') && segment !== '') parameters[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parameters;
}
