/** What `get` and `describe` need to know of a thing on the platform. One file for each implements it. */

import type { Call } from '@ecsm/command-line';
import type { Cell, Column } from '../print/table.ts';
import type { Kind } from './names.ts';
import type { Platform } from './platform.ts';

/** One use of a command on a platform. */
export interface Context {
  readonly call: Call;
  readonly platform: Platform;
  readonly signal: AbortSignal;
  /** What a flag says that the command may not have. */
  readonly said: (flag: string) => string | undefined;
}

/** `flags` are those of the command that filter. */
export function contextOf(
  call: Call,
  platform: Platform,
  {
    signal = call.terminal.signal,
    flags = [],
  }: { readonly signal?: AbortSignal; readonly flags?: readonly string[] } = {},
): Context {
  return { call, platform, signal, said: (name) => (flags.includes(name) ? call.flag(name) : undefined) };
}

/** One thing, ready to be shown. */
export interface Item {
  /** What people call it by. */
  readonly name: string;
  /** As the platform gave it. */
  readonly value: object;
  /** One for each column of its noun. */
  readonly cells: readonly Cell[];
  /** All that the platform tells of it, for machines. */
  readonly whole: () => Promise<object>;
  /** All that matters of it, for people. */
  readonly describe: () => Promise<string>;
}

export interface Noun {
  readonly kind: Kind;
  readonly columns: readonly Column[];
  /** Page after page, as far as it is read. What `said` says filters it. */
  list(context: Context): AsyncIterable<Item>;
  /** By name or id. Throws `Failure` if there is none. */
  find(context: Context, word: string): Promise<Item>;
}

export async function loadNoun(kind: Kind): Promise<Noun> {
  switch (kind) {
    case 'node':
      return (await import('./nodes.ts')).nodes;
    case 'service':
      return (await import('./services.ts')).services;
    case 'container':
      return (await import('./containers.ts')).containers;
    case 'image':
      return (await import('./images.ts')).images;
    case 'record':
      return (await import('./records.ts')).records;
  }
}
