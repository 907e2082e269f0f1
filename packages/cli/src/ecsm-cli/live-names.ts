/** Names of the objects on the platform, for completion. */
import { collect } from '@ecsm/client';
import type { Call } from '@ecsm/command-line';
import { type Kind, kindNames, kindOf, kinds } from './kinds.ts';
import { withPlatform } from './platform.ts';
import { contextOf, loadResource } from './resource.ts';

/** A longer completion list is useless. */
const namesMax = 500;

export function liveNames(call: Call, kind: Kind, flags: readonly string[] = []): Promise<readonly string[]> {
  return withPlatform(call, async (platform) => {
    const resource = await loadResource(kind);
    const found: string[] = [];
    for await (const { name } of resource.list(contextOf(call, platform, { flags }))) {
      found.push(name);
      if (found.length >= namesMax) break;
    }
    return found;
  });
}

/** Completion of read commands: a kind, then names of that kind. */
export async function kindsThenNames(call: Call): Promise<readonly string[]> {
  const [first] = call.words;
  if (first === undefined) return kinds.map((kind) => `${kindNames[kind].plural}\t${kindNames[kind].help}`);
  const kind = kindOf(first);
  if (kind === undefined) return [];
  const taken = call.words.slice(1);
  const flags = kind === 'record' ? ['service'] : kind === 'image' ? ['registry'] : [];
  return (await liveNames(call, kind, flags)).filter((name) => !taken.includes(name));
}

/** Completion of change commands: a kind, or directly the name of a service. */
export async function kindsOrServices(call: Call, allowed: readonly Kind[]): Promise<readonly string[]> {
  const [first] = call.words;
  const kind = first === undefined ? undefined : kindOf(first);
  if (first !== undefined) return liveNames(call, kind ?? 'service');
  return [...allowed.map((one) => `${one}\t${kindNames[one].help}`), ...(await liveNames(call, 'service'))];
}

/** The records of the service on the command line. */
export async function recordsOfService(call: Call): Promise<readonly string[]> {
  const word = call.words.at(-1)?.replace(/^.*\//, '');
  if (word === undefined) return [];
  return withPlatform(call, async (platform) => {
    const filterOf = (flag: string) => (flag === 'service' ? word : undefined);
    const context = { ...contextOf(call, platform), filterOf };
    return (await collect((await loadResource('record')).list(context))).map(({ name }) => name);
  });
}
