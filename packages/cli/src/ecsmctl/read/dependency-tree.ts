/** The dependencies of services as the lines of a tree. A cycle, and a service that was drawn before, end a branch. */
import type { ECSMService } from '@ecsm/operator/kinds';

interface Edge {
  /** `namespace/name` of the service at the lower end of the branch. It need not exist. */
  readonly name: string;
  readonly condition: string;
  readonly onLost: string;
}

export interface TreeLine {
  /** The lines of the tree before the name. */
  readonly indent: string;
  readonly name: string;
  /** Absent for a root. */
  readonly edge?: Edge;
  /** `cycle`: the service is drawn above in the same branch. `above`: it is drawn above with what is below it. */
  readonly end?: 'cycle' | 'above';
}

/** Edges by the name of the service at the upper end of a branch. */
type Graph = ReadonlyMap<string, readonly Edge[]>;

export function nameOf({ metadata }: Pick<ECSMService, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** What each service needs, in the order of the spec. */
export function dependenciesOf(services: readonly ECSMService[]): Graph {
  return new Map(
    services.map((service) => [
      nameOf(service),
      (service.spec.dependsOn ?? []).map(({ name, namespace = service.metadata.namespace, condition, onLost }) => ({
        name: `${namespace}/${name}`,
        condition,
        onLost,
      })),
    ]),
  );
}

/** What needs each service, in the order of names. */
export function dependentsIn(dependencies: Graph): Graph {
  const reversed = new Map<string, Edge[]>();
  for (const [dependent, edges] of [...dependencies].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (const { name, ...edge } of edges)
      reversed.set(name, [...(reversed.get(name) ?? []), { ...edge, name: dependent }]);
  }
  return reversed;
}

/** Where the trees start that contain all of these services: those at no lower end, then one of each cycle that is left. */
export function rootsOf(names: readonly string[], graph: Graph): readonly string[] {
  const lower = new Set([...graph.values()].flatMap((edges) => edges.map(({ name }) => name)));
  const linked = names.filter((name) => lower.has(name) || (graph.get(name) ?? []).length > 0).sort();
  const roots = linked.filter((name) => !lower.has(name));
  const drawn = new Set<string>();
  for (const root of roots) reach(root, graph, drawn);
  for (const name of linked) {
    if (drawn.has(name)) continue;
    roots.push(name);
    reach(name, graph, drawn);
  }
  return roots;
}

function reach(name: string, graph: Graph, found: Set<string>): void {
  if (found.has(name)) return;
  found.add(name);
  for (const edge of graph.get(name) ?? []) reach(edge.name, graph, found);
}

interface Drawing {
  readonly middle: string;
  readonly last: string;
  readonly line: string;
  readonly blank: string;
}

const unicode: Drawing = { middle: '├─ ', last: '└─ ', line: '│  ', blank: '   ' };
const ascii: Drawing = { middle: '|- ', last: '`- ', line: '|  ', blank: '   ' };

export function treeLines(roots: readonly string[], graph: Graph, isAscii: boolean): readonly TreeLine[] {
  const drawing = isAscii ? ascii : unicode;
  const lines: TreeLine[] = [];
  const drawn = new Set<string>();
  const draw = (name: string, edge: Edge | undefined, path: readonly string[], own: string, below: string) => {
    const edges = graph.get(name) ?? [];
    const end = path.includes(name) ? 'cycle' : drawn.has(name) && edges.length > 0 ? 'above' : undefined;
    lines.push({ indent: own, name, ...(edge && { edge }), ...(end && { end }) });
    if (end !== undefined) return;
    drawn.add(name);
    for (const [index, next] of edges.entries()) {
      const isLast = index === edges.length - 1;
      const branch = `${below}${isLast ? drawing.last : drawing.middle}`;
      draw(next.name, next, [...path, name], branch, `${below}${isLast ? drawing.blank : drawing.line}`);
    }
  };
  for (const root of roots) draw(root, undefined, [], '', '');
  return lines;
}
