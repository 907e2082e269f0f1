/**
 * Settings from flags, environment and a config file, in this order, each with where it came from. The file has one key for
 * each flag that has a `key`; every error about it has file, line and column.
 */
import { join } from 'node:path';
import type { Call, Flag } from './command.ts';
import { isApiError, UsageError } from './errors.ts';
import { didYouMean } from './nearest.ts';
import { type FlagValue, readFlagValue } from './parse.ts';

export interface ConfigOptions {
  /** The flag that names the file. A file that is named has to be there. */
  readonly fileFlag: string;
  /** Looked for in the working directory, then in the home directory; the first one found is read. */
  readonly fileNames: readonly string[];
  /** `readManifests` of the runtime. Passed in, so that programs without a config file do not load it. */
  readonly readDocuments: (bytes: Uint8Array, options: { readonly file: string }) => Promise<readonly ConfigDocument[]>;
}

interface ConfigDocument {
  readonly object: Readonly<Record<string, unknown>>;
  readonly line: number;
  positionOf(key: string): Promise<{ readonly file: string; readonly line: number; readonly column: number }>;
}

/** Passed in, because the module it comes from is not loaded for every command. */
type RedactText = (text: string) => string;

/** For `config view`. */
interface SettingView {
  readonly key: string;
  /** `<hidden>` where it is secret, empty where it is not set. */
  readonly value: string;
  /** `--host`, `ECSMCLI_HOST`, `.ecsm-cli.yaml:3:1`, `default`, or empty. */
  readonly from: string;
}

export interface Settings {
  readonly get: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  /** For error messages about a value: `--port`, `ECSMCLI_PORT` or `.ecsm-cli.yaml:2:1: port`. */
  readonly origin: (name: string) => string | undefined;
  /** The config file that was read. */
  readonly file: string | undefined;
  readonly view: (redactText: RedactText) => readonly SettingView[];
}

/** `flags` are those of the program; the ones with a `key` may be in the file. Throws `UsageError`. */
export async function readSettings(call: Call, flags: readonly Flag[], options: ConfigOptions): Promise<Settings> {
  const found = await findFile(call, options);
  const file = found ? await readConfig(found, flags, options.readDocuments) : new Map<string, FlagValue>();
  const said = (name: string): FlagValue | undefined => {
    const from = call.origin(name);
    return from === undefined ? file.get(name) : { texts: call.flags(name), from };
  };
  const all = (name: string) => said(name)?.texts ?? call.flags(name);
  return {
    get: (name) => all(name).at(-1),
    all,
    origin: (name) => said(name)?.from,
    file: found?.name,
    view: (redactText) =>
      flags.filter(({ key }) => key !== undefined).map((flag) => viewOf(flag, said(flag.name), redactText)),
  };
}

interface ConfigFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function findFile(call: Call, { fileFlag, fileNames }: ConfigOptions): Promise<ConfigFile | undefined> {
  const { files } = call.terminal;
  const named = call.flag(fileFlag);
  if (named !== undefined) {
    const bytes = await files.read(named);
    if (!bytes) throw new UsageError(`${call.origin(fileFlag) ?? `--${fileFlag}`}: there is no file "${named}"`);
    return { name: named, bytes };
  }
  for (const name of [...fileNames, ...fileNames.map((one) => join(files.home, one))]) {
    const bytes = await files.read(name);
    if (bytes) return { name, bytes };
  }
  return undefined;
}

type Keyed = Flag & { readonly key: string };

async function readConfig(
  { name, bytes }: ConfigFile,
  flags: readonly Flag[],
  readDocuments: ConfigOptions['readDocuments'],
): Promise<Map<string, FlagValue>> {
  const keyed = flags.filter((flag): flag is Keyed => flag.key !== undefined);
  const said = new Map<string, FlagValue>();
  const [document, second] = await readDocuments(bytes, { file: name }).catch((error: unknown) => {
    throw isApiError(error) ? new UsageError(error.message) : error;
  });
  if (second) throw new UsageError(`${name}:${second.line}: a config file has to contain a single document`);
  if (!document) return said;
  for (const [key, value] of Object.entries(document.object)) {
    const place = await placeOf(document, key);
    const flag = keyed.find((one) => one.key === key);
    if (!flag)
      throw new UsageError(
        `${place}: unknown setting "${key}".${didYouMean(
          key,
          keyed.map((one) => one.key),
        )}`,
      );
    const from = `${place}: ${key}`;
    const texts = Array.isArray(value) && flag.repeats ? value.map((one) => textOf(one, from)) : [textOf(value, from)];
    if (texts.includes('')) throw new UsageError(`${from} is empty: omit it, or set a value`);
    said.set(flag.name, readFlagValue(from, flag, texts));
  }
  return said;
}

async function placeOf(document: ConfigDocument, key: string): Promise<string> {
  // A key that is not a plain word is not a path; then the position of the document is reported.
  const { file, line, column } = await document.positionOf(/^\w+$/.test(key) ? key : '');
  return `${file}:${line}:${column}`;
}

function textOf(value: unknown, from: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
  throw new UsageError(`${from} has to be a single value, not ${found}`);
}

function viewOf(flag: Flag, said: FlagValue | undefined, redactText: RedactText): SettingView {
  const key = flag.key ?? flag.name;
  const fallback = flag.default;
  const texts = said?.texts ?? (fallback === undefined ? [] : [fallback]);
  const from = said ? said.from.replace(`: ${key}`, '') : fallback === undefined ? '' : 'default';
  const isOff = flag.value === undefined && said !== undefined && texts.length === 0;
  const value = isOff ? 'false' : texts.map((text) => (flag.secret ? '<hidden>' : redactText(text))).join(', ');
  return { key, value, from };
}
