/** `get`: things of the platform, all of a kind or those that are named. */
import { type Call, UsageError, wholeNumberOf, withProgress } from '@ecsm/command-line';
import { filterFlags } from './filters.ts';
import { type Kind, type Name, names } from './names.ts';
import { contextOf, type Item, loadNoun } from './noun.ts';
import { formatOf, type Group, isTable, print, sorted } from './output.ts';
import { type Platform, withPlatform } from './platform.ts';
import { type Target, targetsOf } from './targets.ts';

const limitMax = 1_000_000;

export async function run(call: Call): Promise<void> {
  await show(call, targetsOf(call.words));
}

/** Also for `image list`. */
export async function show(call: Call, targets: readonly Target[]): Promise<void> {
  const format = formatOf(call);
  checkFilters(call, targets);
  const limitText = call.flag('limit');
  const limit = limitText === undefined ? limitMax : wholeNumberOf(limitText, '--limit', 1, limitMax);
  const isOne = targets.length === 1 && targets[0]?.names.length === 1;
  // A path that cannot be read is said before anybody is asked anything.
  sorted(call, []);
  const groups = await withPlatform(call, async (platform) => {
    const found: (Group & { readonly kind: Kind })[] = [];
    for (const target of targets) {
      found.push(await gathered(call, platform, target, limit, !isTable(format)));
    }
    return found;
  });
  const { err } = call.terminal;
  for (const { kind, items } of groups) {
    if (items.length === 0 && isTable(format)) err.write(`No ${names[kind].plural} found.\n`);
  }
  await print(call, format, groups, { isOne, headers: call.flag('no-headers') === undefined });
}

async function gathered(
  call: Call,
  platform: Platform,
  { kind, names: wanted }: Target,
  limit: number,
  isWhole: boolean,
): Promise<Group & { readonly kind: Kind }> {
  const noun = await loadNoun(kind);
  const { err } = call.terminal;
  const { plural } = names[kind];
  const what = `${plural} of ${platform.url}`;
  const found = await withProgress(call.terminal, { what, timeoutMs: Number.POSITIVE_INFINITY }, async (progress) => {
    const context = contextOf(call, platform, { signal: progress.signal, flags: filterFlags.map(({ name }) => name) });
    const items: Item[] = [];
    const take = async (item: Item) => {
      items.push(isWhole && wanted.length > 0 ? { ...item, value: await item.whole() } : item);
      // Where nothing can be repainted, each of these would be a line.
      if (err.canRepaint) progress.update(`${items.length} so far`);
    };
    for (const word of wanted) await take(await noun.find(context, word));
    if (wanted.length > 0) return items;
    for await (const item of noun.list(context)) {
      if (items.length === limit) {
        progress.print(`There are more than ${limit} ${plural}: raise --limit to see them.`);
        break;
      }
      await take(item);
    }
    return items;
  });
  const items = sorted(call, found).map((item) => ({ ...item, name: `${kind}/${item.name}` }));
  return { kind, columns: noun.columns, items };
}

/** A filter that is given and does nothing would show what nobody asked for. */
function checkFilters(call: Call, targets: readonly Target[]): void {
  for (const { name } of filterFlags) {
    if (call.flag(name) === undefined) continue;
    for (const { kind, names: wanted } of targets) {
      const { filters, plural }: Name = names[kind];
      if (!filters.includes(name))
        throw new UsageError(`--${name} cannot be used with ${plural}${supportedKinds(name)}`);
      if (wanted.length > 0 && name !== 'namespace' && name !== 'registry') {
        throw new UsageError(
          `--${name} filters a list of ${plural} and cannot be combined with the name "${wanted[0]}"`,
        );
      }
    }
  }
}

function supportedKinds(flag: string): string {
  const those = Object.values<Name>(names).filter(({ filters }) => filters.includes(flag));
  return `, only with ${those.map(({ plural }) => plural).join(' and ')}`;
}
