/** `watch`: follows changes on the platform, as a live table on a terminal and otherwise as one line per change. */

import { type Call, UsageError } from '@ecsm/command-line';
import { paintOf } from '../print/paint.ts';
import { formatTable, TableStream } from '../print/table.ts';
import { type Kind, kindNames } from './kinds.ts';
import { formatOf } from './output.ts';
import { type Platform, withPlatform } from './platform.ts';
import { intervalOf, type PollOptions, poll, showLive } from './polling.ts';
import { type Context, type Item, loadResource, type Resource } from './resource.ts';
import { type Target, targetsOf } from './targets.ts';
import { columnsFor } from './top.ts';
import { durationMsOf } from './values.ts';

const watched: readonly Kind[] = ['service', 'container', 'node'];
const flags = ['namespace', 'name'];

export async function run(call: Call): Promise<void> {
  const forText = call.flag('for');
  const forMs = forText === undefined ? undefined : durationMsOf(forText, '--for');
  const targets = call.words.length === 0 ? [{ kind: 'service' as const, names: [] }] : targetsOf(call.words);
  const watch = await watchOf(call, targets, { flags, forMs });
  const show = call.terminal.out.canRepaint ? showTable : streamChanges;
  await withPlatform(call, (platform) => show(call, platform, watch));
}

/** For `get -w`: one line per change, also on a terminal. */
export async function followChanges(call: Call, targets: readonly Target[], filters: readonly string[]): Promise<void> {
  const watch = await watchOf(call, targets, { flags: filters });
  await withPlatform(call, (platform) => streamChanges(call, platform, watch));
}

async function watchOf(
  call: Call,
  [target, another]: readonly Target[],
  { flags, forMs }: { readonly flags: readonly string[]; readonly forMs?: number | undefined },
): Promise<Watch> {
  const { kind: format } = formatOf(call, ['table', 'wide']);
  intervalOf(call);
  if (another) throw new UsageError(`only one kind is allowed: ${another.kind} is another one`);
  const { kind, names: wanted } = target ?? { kind: 'service', names: [] };
  if (!watched.includes(kind)) {
    throw new UsageError(
      `${kindNames[kind].plural} cannot be watched: watch ${watched.map((one) => kindNames[one].plural).join(', ')}`,
    );
  }
  if (kind === 'node' && call.flag('namespace') !== undefined) {
    throw new UsageError('--namespace cannot be used with nodes, only with services and containers');
  }
  const resource = await loadResource(kind);
  const read = async (context: Context) => {
    const items: Item[] = [];
    for await (const item of resource.list(context))
      if (wanted.length === 0 || wanted.includes(item.name)) items.push(item);
    return items;
  };
  return { resource, wide: format === 'wide', polling: { flags, read, forMs } };
}

interface Watch {
  readonly resource: Resource;
  readonly wide: boolean;
  readonly polling: PollOptions<readonly Item[]>;
}

async function showTable(call: Call, platform: Platform, { resource, wide, polling }: Watch): Promise<void> {
  const paint = paintOf(call.terminal.out.isColoured);
  await showLive(call, platform, {
    ...polling,
    paint: (items) => {
      const rows = items.map(({ cells }) => cells);
      return formatTable({ columns: resource.columns, rows, paint, wide, columnsMax: columnsFor(call) });
    },
  });
}

async function streamChanges(call: Call, platform: Platform, { resource, wide, polling }: Watch): Promise<void> {
  const { out, err } = call.terminal;
  const stream = new TableStream({ columns: resource.columns, wide });
  const ages = new Set(
    resource.columns.flatMap(({ name }, index) => (name === 'age' || name === 'uptime' ? [index] : [])),
  );
  const statusAt = resource.columns.findIndex(({ name }) => name === 'status');
  /** Compared to detect a change: all cells except ages. */
  const comparedText = ({ cells }: Item) => JSON.stringify(cells.filter((_, index) => !ages.has(index)));
  let before = new Map<string, Item>();
  let isLost = false;
  let isFirst = true;
  await poll(call, platform, polling, (items, problem) => {
    if (!items) {
      if (!isLost) err.write(`${platform.url}: ${problem}\n`);
      isLost = true;
      return;
    }
    if (items.length === 0 && isFirst) err.write(`No ${kindNames[resource.kind].plural} yet.\n`);
    isFirst = false;
    if (isLost) err.write(`${platform.url} responds again\n`);
    isLost = false;
    const now = new Map(items.map((item) => [keyOf(item), item]));
    const changed = items.filter((item) => {
      const old = before.get(keyOf(item));
      return !old || comparedText(old) !== comparedText(item);
    });
    const deleted = [...before.values()].filter((item) => !now.has(keyOf(item)));
    const rows = [
      ...changed.map(({ cells }) => cells),
      ...deleted.map(({ cells }) => cells.map((cell, index) => (index === statusAt ? 'deleted' : cell))),
    ];
    out.write(stream.print(rows));
    before = now;
  });
}

/** Names of services and of containers are unique. */
function keyOf({ name }: Item): string {
  return name;
}
