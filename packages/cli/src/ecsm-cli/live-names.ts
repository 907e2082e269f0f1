/** Names of what is on the platform now, for completion. */
import type { Call } from '@ecsm/command-line';
import { type Kind, kindOf, kinds, names } from './names.ts';
import { contextOf, loadNoun } from './noun.ts';
import { withPlatform } from './platform.ts';

/** More than that helps nobody. */
const namesMax = 500;

export function liveNames(call: Call, kind: Kind, flags: readonly string[] = []): Promise<readonly string[]> {
  return withPlatform(call, async (platform) => {
    const noun = await loadNoun(kind);
    const found: string[] = [];
    for await (const { name } of noun.list(contextOf(call, platform, { flags }))) {
      found.push(name);
      if (found.length >= namesMax) break;
    }
    return found;
  });
}

/** Of commands that show: a kind first, then names of that kind. */
export async function kindsThenNames(call: Call): Promise<readonly string[]> {
  const [first] = call.words;
  if (first === undefined) return kinds.map((kind) => `${names[kind].plural}\t${names[kind].help}`);
  const kind = kindOf(first);
  if (kind === undefined) return [];
  const taken = call.words.slice(1);
  const flags = kind === 'record' ? ['service'] : kind === 'image' ? ['registry'] : [];
  return (await liveNames(call, kind, flags)).filter((name) => !taken.includes(name));
}

/** Of commands that change: a kind, or the name of a service at once. */
export async function kindsOrServices(call: Call, allowed: readonly Kind[]): Promise<readonly string[]> {
  const [first] = call.words;
  const kind = first === undefined ? undefined : kindOf(first);
  if (first !== undefined) return liveNames(call, kind ?? 'service');
  return [...allowed.map((one) => `${one}\t${names[one].help}`), ...(await liveNames(call, 'service'))];
}

/** The records of the service that the line names. */
export async function recordsOfService(call: Call): Promise<readonly string[]> {
  const word = call.words.at(-1)?.replace(/^.*\//, '');
  if (word === undefined) return [];
  return withPlatform(call, async (platform) => {
    const context = { ...contextOf(call, platform), said: (flag: string) => (flag === 'service' ? word : undefined) };
    const found: string[] = [];
    for await (const { name } of (await loadNoun('record')).list(context)) found.push(name);
    return found;
  });
}
