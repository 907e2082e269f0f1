/** `get`: objects of the platform, all of a kind or the named ones. */
import { type Call, UsageError, wholeNumberOf, withProgress } from '@ecsm/command-line';
import { filterFlags } from './filters.ts';
import { type Kind, type KindNames, kindNames } from './kinds.ts';
import { formatOf, type Group, isTable, print, sorted } from './output.ts';
import { type Platform, withPlatform } from './platform.ts';
import { contextOf, type Item, loadResource } from './resource.ts';
import { type Target, targetsOf } from './targets.ts';

const limitMax = 1_000_000;

export async function run(call: Call): Promise<void> {
  const targets = targetsOf(call.words);
  if (call.flag('watch') === undefined) {
    if (call.origin('interval') !== undefined) throw new UsageError('--interval requires -w');
    return show(call, targets);
  }
  for (const flag of ['limit', 'sort-by']) {
    if (call.flag(flag) !== undefined) throw new UsageError(`--${flag} cannot be used with -w`);
  }
  checkFilters(call, targets);
  const { followChanges } = await import('./watch.ts');
  await followChanges(
    call,
    targets,
    filterFlags.map(({ name }) => name),
  );
}

/** Also for `image list`. */
export async function show(call: Call, targets: readonly Target[]): Promise<void> {
  const format = formatOf(call);
  checkFilters(call, targets);
  const limitText = call.flag('limit');
  const limit = limitText === undefined ? limitMax : wholeNumberOf(limitText, '--limit', 1, limitMax);
  const isOne = targets.length === 1 && targets[0]?.names.length === 1;
  // An invalid path is reported before the first request.
  sorted(call, []);
  const groups = await withPlatform(call, async (platform) => {
    const found: (Group & { readonly kind: Kind })[] = [];
    for (const target of targets) {
      found.push(await collect(call, platform, target, limit, !isTable(format)));
    }
    return found;
  });
  const { err } = call.terminal;
  for (const { kind, items } of groups) {
    if (items.length === 0 && isTable(format)) err.write(`No ${kindNames[kind].plural} found.\n`);
  }
  await print(call, format, groups, { isOne, headers: call.flag('no-headers') === undefined });
}

async function collect(
  call: Call,
  platform: Platform,
  { kind, names: wanted }: Target,
  limit: number,
  isWhole: boolean,
): Promise<Group & { readonly kind: Kind }> {
  const resource = await loadResource(kind);
  const { err } = call.terminal;
  const { plural } = kindNames[kind];
  const what = `${plural} of ${platform.url}`;
  const found = await withProgress(call.terminal, { what, timeoutMs: Number.POSITIVE_INFINITY }, async (progress) => {
    const context = contextOf(call, platform, { signal: progress.signal, flags: filterFlags.map(({ name }) => name) });
    const items: Item[] = [];
    const take = async (item: Item) => {
      items.push(isWhole && wanted.length > 0 ? { ...item, value: await item.whole() } : item);
      // Without a terminal each update would be a line.
      if (err.canRepaint) progress.update(`${items.length} so far`);
    };
    for (const word of wanted) await take(await resource.find(context, word));
    if (wanted.length > 0) return items;
    for await (const item of resource.list(context)) {
      if (items.length === limit) {
        progress.print(`There are more than ${limit} ${plural}: raise --limit to see them.`);
        break;
      }
      await take(item);
    }
    return items;
  });
  const items = sorted(call, found).map((item) => ({ ...item, name: `${kind}/${item.name}` }));
  return { kind, columns: resource.columns, items };
}

/** Refuses filters that would have no effect. */
function checkFilters(call: Call, targets: readonly Target[]): void {
  for (const { name } of filterFlags) {
    if (call.flag(name) === undefined) continue;
    for (const { kind, names: wanted } of targets) {
      const { filters, plural }: KindNames = kindNames[kind];
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
  const those = Object.values<KindNames>(kindNames).filter(({ filters }) => filters.includes(flag));
  return `, only with ${those.map(({ plural }) => plural).join(' and ')}`;
}
