/** `tree`: the services that a service depends on, or those that depend on it, with their state. */
import { type Call, type Run, UsageError } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { findCondition } from '@ecsm/runtime';
import { paintOf } from '../../print/paint.ts';
import { type Cell, formatTable } from '../../print/table.ts';
import { supportsUnicode } from '../../print/unicode.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { knownKinds, type Session, withSession } from '../shared/session.ts';
import { isOn, missing } from '../shared/targets.ts';
import { dependenciesOf, dependentsIn, nameOf, rootsOf, type TreeLine, treeLines } from './dependency-tree.ts';

export const run: Run = async (call) => {
  const names = namesIn(call);
  return withSession(call, async (session) => {
    // A dependency may be in any namespace.
    const { items, problems } = await session.registry.resource(ECSMService).list({});
    for (const { key, reason } of problems) session.warn(`${key} cannot be read: ${reason}`);
    const services = new Map(items.map((service) => [nameOf(service), service]));
    const dependencies = dependenciesOf(items);
    const graph = isOn(call, 'dependents') ? dependentsIn(dependencies) : dependencies;
    const roots = names ? await named(session, names, services) : rootsOf(inScope(session, items), graph);
    const { out, err } = call.terminal;
    if (roots.length === 0) {
      const where = session.isAllNamespaces ? '' : ` in ${session.namespace} namespace`;
      err.write(`No services with dependencies found${where}.\n`);
      return;
    }
    const lines = treeLines(roots, graph, !supportsUnicode(call.terminal));
    out.write(
      formatTable({
        columns: [{ name: 'NAME' }, { name: 'READY' }, { name: 'NEEDED' }, { name: 'STATE', shrink: true }],
        rows: lines.map((line) => rowOf(line, services.get(line.name), session)),
        headers: !isOn(call, 'no-headers'),
        columnsMax: out.columns,
        paint: paintOf(out.isColoured),
      }),
    );
    await out.drained();
  });
};

/** The names on the command line. Undefined: all services. Throws `UsageError` for other kinds. */
function namesIn(call: Call): readonly string[] | undefined {
  const { kinds, objects } = parseResourceArgs(
    { kinds: knownKinds },
    call.words.length === 0 ? ['services'] : call.words,
  );
  const other = kinds.find((kind) => kind !== ECSMService);
  if (other) throw new UsageError(`only services have dependencies, not ${other.plural}`);
  if (objects && isOn(call, 'all-namespaces')) {
    throw new UsageError('names require a single namespace: use -n, not -A');
  }
  return objects?.map(({ name }) => name);
}

async function named(
  session: Session,
  names: readonly string[],
  services: ReadonlyMap<string, ECSMService>,
): Promise<readonly string[]> {
  const { namespace } = session;
  for (const name of names) {
    if (!services.has(`${namespace}/${name}`)) throw await missing(session, { kind: ECSMService, namespace, name });
  }
  return names.map((name) => `${namespace}/${name}`);
}

function inScope({ isAllNamespaces, namespace }: Session, services: readonly ECSMService[]): readonly string[] {
  return services.filter(({ metadata }) => isAllNamespaces || metadata.namespace === namespace).map(nameOf);
}

function rowOf(line: TreeLine, service: ECSMService | undefined, session: Session): readonly Cell[] {
  const { indent, name, edge } = line;
  const own = `${session.namespace}/`;
  const shown = !session.isAllNamespaces && name.startsWith(own) ? name.slice(own.length) : name;
  return [
    `${indent}${shown}`,
    service ? columnText(service, 'READY') : '-',
    edge ? `${edge.condition}${edge.onLost === 'Stop' ? ', Stop' : ''}` : '',
    stateCell(line, service),
  ];
}

function stateCell({ end }: TreeLine, service: ECSMService | undefined): Cell {
  if (end === 'cycle') return { text: 'cycle', style: 'bad' };
  if (service === undefined) return { text: 'does not exist', style: 'bad' };
  const state = stateOf(service);
  return end === 'above' ? { ...state, text: `${state.text} (see above)` } : state;
}

function stateOf(service: ECSMService): Exclude<Cell, string> {
  const { metadata, status } = service;
  if (metadata.deletionTimestamp !== undefined) return { text: 'being deleted', style: 'warn' };
  const waitsFor = columnText(service, 'WAITS-FOR');
  const available = findCondition(status?.conditions, 'Available');
  if (available?.status === 'True') {
    if (waitsFor === '') return { text: 'available', style: 'good' };
    return { text: `available, ${waitsFor === 'cycle' ? 'in a cycle' : `needs ${waitsFor}`}`, style: 'warn' };
  }
  if (waitsFor !== '') return { text: waitsFor === 'cycle' ? 'in a cycle' : `waits for ${waitsFor}`, style: 'warn' };
  return available ? { text: 'not available', style: 'bad' } : { text: 'not observed yet', style: 'dim' };
}

function columnText(service: ECSMService, column: string): string {
  return ECSMService.columns.find(({ name }) => name === column)?.value(service) ?? '';
}
