/** The interface of `get` and `describe` to the kinds of objects on the platform. One file per kind implements it. */

import type { Call } from '@ecsm/command-line';
import type { Cell, Column } from '../print/table.ts';
import type { Kind } from './kinds.ts';
import type { Platform } from './platform.ts';

/** One execution of a command on a platform. */
export interface Context {
  readonly call: Call;
  readonly platform: Platform;
  readonly signal: AbortSignal;
  /** Value of a filter flag. Returns undefined if the command does not have the flag. */
  readonly filterOf: (flag: string) => string | undefined;
}

/** `flags`: the filter flags of the command. */
export function contextOf(
  call: Call,
  platform: Platform,
  {
    signal = call.terminal.signal,
    flags = [],
  }: { readonly signal?: AbortSignal; readonly flags?: readonly string[] } = {},
): Context {
  return { call, platform, signal, filterOf: (name) => (flags.includes(name) ? call.flag(name) : undefined) };
}

/** One object, prepared for output. */
export interface Item {
  readonly name: string;
  /** The list row of the platform. */
  readonly value: object;
  /** One per column of the resource. */
  readonly cells: readonly Cell[];
  /** Reads the object with all its fields, for YAML and JSON. */
  readonly whole: () => Promise<object>;
  /** The text of `describe`. */
  readonly describe: () => Promise<string>;
}

export interface Resource {
  readonly kind: Kind;
  readonly columns: readonly Column[];
  /** Reads page by page, only as far as it is consumed. Filtered by `filterOf`. */
  list(context: Context): AsyncIterable<Item>;
  /** By name or id. Throws `Failure` if the object does not exist. */
  find(context: Context, word: string): Promise<Item>;
}

export async function loadResource(kind: Kind): Promise<Resource> {
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
