/**
 * Loads SQLite: the npm package with its prebuilt library, or, on a machine for which the package has none, the module
 * that newer versions of Node have built in. Both have the same API; only the part that is used here is declared.
 */
import { ApiError } from '../../api/errors.ts';

export type SqlValue = string | number | bigint | Uint8Array | null;
/** A row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...parameters: SqlValue[]): unknown;
  get(...parameters: SqlValue[]): SqlRow | undefined;
  all(...parameters: SqlValue[]): SqlRow[];
  /** Rows are lists of values from now on: the statement is then a `ListStatement`. */
  setReturnArrays(enabled: boolean): void;
}

/** The values of a row, in the order of the columns. An object with their names takes more time. */
export type SqlValues = readonly (SqlValue | undefined)[];

export interface ListStatement {
  get(...parameters: SqlValue[]): SqlValues | undefined;
  all(...parameters: SqlValue[]): SqlValues[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Binding {
  readonly DatabaseSync: new (path: string, options?: { readonly timeout?: number }) => Database;
}

/**
 * Older versions can corrupt a database in WAL mode: a checkpoint that restarts the log while another connection writes
 * loses pages.
 */
const oldestVersion = [3, 51, 3] as const;

let loaded: Promise<Binding> | undefined;

/** Throws `Unavailable` if there is no SQLite for this machine. */
export function loadBinding(): Promise<Binding> {
  // Not a literal: compilers and bundlers for Node 20 do not know the module.
  const builtIn = 'node:sqlite';
  loaded ??= loadOne(
    () => import('@photostructure/sqlite'),
    () => import(builtIn),
  );
  return loaded;
}

/** The built-in module only if the library cannot be loaded. Throws `Unavailable` if neither can. */
export async function loadOne(library: () => Promise<Binding>, builtIn: () => Promise<Binding>): Promise<Binding> {
  try {
    return await library();
  } catch (error) {
    try {
      return await builtIn();
    } catch {
      const { platform, arch, version } = process;
      throw new ApiError(
        'Unavailable',
        {
          what: 'SQLite',
          reason: `no prebuilt library could be loaded for ${platform}-${arch}, and Node ${version} has none built in: use Node 22.23 or newer`,
        },
        error,
      );
    }
  }
}

/** Throws `Unavailable` if the version of SQLite is older than `oldestVersion`. */
export function checkVersion(version: string): void {
  const numbers = version.split('.').map(Number);
  for (const [index, oldest] of oldestVersion.entries()) {
    const number = numbers[index] ?? 0;
    if (number > oldest) return;
    if (number < oldest) {
      const reason = `version ${version} can corrupt a database that several processes write: ${oldestVersion.join('.')} or newer is needed`;
      throw new ApiError('Unavailable', { what: 'SQLite', reason });
    }
  }
}
