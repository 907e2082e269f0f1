/** `watch`: things of the platform as they change. A terminal shows them all; a pipe gets a line for each change. */

import { type Call, UsageError } from '@ecsm/command-line';
import { paintOf } from '../print/paint.ts';
import { formatTable, TableStream } from '../print/table.ts';
import { again, intervalOf, keepLooking } from './looking.ts';
import { type Kind, names } from './names.ts';
import { type Context, type Item, loadNoun, type Noun } from './noun.ts';
import { formatOf } from './output.ts';
import { type Platform, withPlatform } from './platform.ts';
import { targetsOf } from './targets.ts';
import { columnsFor } from './top.ts';
import { durationMsOf } from './values.ts';

const watched: readonly Kind[] = ['service', 'container', 'node'];
const flags = ['namespace', 'name'];

export async function run(call: Call): Promise<void> {
  const { kind: format } = formatOf(call, ['table', 'wide']);
  intervalOf(call);
  const forText = call.flag('for');
  const forMs = forText === undefined ? undefined : durationMsOf(forText, '--for');
  const [target = { kind: 'service' as const, names: [] }, another] =
    call.words.length === 0 ? [] : targetsOf(call.words);
  if (another) throw new UsageError(`only one kind is allowed: ${another.kind} is another one`);
  const { kind, names: wanted } = target;
  if (!watched.includes(kind)) {
    throw new UsageError(
      `${names[kind].plural} cannot be watched: watch ${watched.map((one) => names[one].plural).join(', ')}`,
    );
  }
  if (kind === 'node' && call.flag('namespace') !== undefined) {
    throw new UsageError('--namespace cannot be used with nodes, only with services and containers');
  }
  const noun = await loadNoun(kind);
  const look = async (context: Context) => {
    const items: Item[] = [];
    for await (const item of noun.list(context))
      if (wanted.length === 0 || wanted.includes(item.name)) items.push(item);
    return items;
  };
  await withPlatform(call, (platform) =>
    call.terminal.out.canRepaint
      ? painted(call, platform, noun, look, forMs, format === 'wide')
      : streamed(call, platform, noun, look, forMs, format === 'wide'),
  );
}

type Look = (context: Context) => Promise<readonly Item[]>;

async function painted(
  call: Call,
  platform: Platform,
  noun: Noun,
  look: Look,
  forMs: number | undefined,
  wide: boolean,
): Promise<void> {
  const paint = paintOf(call.terminal.out.isColoured);
  await keepLooking(call, platform, {
    flags,
    look,
    forMs,
    paint: (items) => {
      const rows = items.map(({ cells }) => cells);
      return formatTable({ columns: noun.columns, rows, paint, wide, columnsMax: columnsFor(call) });
    },
  });
}

async function streamed(
  call: Call,
  platform: Platform,
  noun: Noun,
  look: Look,
  forMs: number | undefined,
  wide: boolean,
): Promise<void> {
  const { out, err } = call.terminal;
  const stream = new TableStream({ columns: noun.columns, wide });
  const ages = new Set(noun.columns.flatMap(({ name }, index) => (name === 'age' || name === 'uptime' ? [index] : [])));
  const statusAt = noun.columns.findIndex(({ name }) => name === 'status');
  /** What is news: everything but how old it is. */
  const newsOf = ({ cells }: Item) => JSON.stringify(cells.filter((_, index) => !ages.has(index)));
  let before = new Map<string, Item>();
  let isSilent = false;
  let isFirst = true;
  await again(call, platform, { flags, look, forMs }, (items, trouble) => {
    if (!items) {
      if (!isSilent) err.write(`${platform.url}: ${trouble}\n`);
      isSilent = true;
      return;
    }
    if (items.length === 0 && isFirst) err.write(`No ${names[noun.kind].plural} yet.\n`);
    isFirst = false;
    if (isSilent) err.write(`${platform.url} responds again\n`);
    isSilent = false;
    const now = new Map(items.map((item) => [keyOf(item), item]));
    const changed = items.filter((item) => {
      const old = before.get(keyOf(item));
      return !old || newsOf(old) !== newsOf(item);
    });
    const gone = [...before.values()].filter((item) => !now.has(keyOf(item)));
    const rows = [
      ...changed.map(({ cells }) => cells),
      ...gone.map(({ cells }) => cells.map((cell, index) => (index === statusAt ? 'deleted' : cell))),
    ];
    out.write(stream.print(rows));
    before = now;
  });
}

/** Names of services are theirs alone; those of containers, too. */
function keyOf({ name }: Item): string {
  return name;
}
