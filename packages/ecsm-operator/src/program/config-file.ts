/** The config file: options by their keys, in YAML or JSON. Every complaint says file, line and column. */
import { readFileSync } from 'node:fs';
import { isApiError, type JsonValue, type Manifest, readManifests } from '@ecsm/runtime';
import type { Said, Sayings } from './command-line.ts';
import { type Flag, flags } from './flags.ts';
import { didYouMean, Wrong } from './wrong.ts';

const keyed = flags.filter((flag): flag is Flag & { readonly key: string } => flag.key !== undefined);

/** Throws `Wrong`. `from` is who named the file, for the complaint that it cannot be read. */
export async function readConfigFile(file: string, from: string): Promise<Sayings> {
  const said = new Map<string, Said>();
  const document = await documentOf(file, readBytes(file, from));
  if (!document) return said;
  for (const [key, value] of Object.entries(document.object)) {
    const place = `${await placeOf(document, key)}: ${key}`;
    const flag = keyed.find((one) => one.key === key);
    const known = keyed.map((one) => one.key);
    if (!flag)
      throw new Wrong(`${await placeOf(document, key)}: there is no option "${key}".${didYouMean(key, known)}`);
    said.set(flag.name, { texts: textsOf(flag, value, place), from: place });
  }
  return said;
}

function readBytes(file: string, from: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Wrong(`${from}: the file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The one document; nothing if there are only comments. */
async function documentOf(file: string, bytes: Uint8Array): Promise<Manifest | undefined> {
  try {
    const [document, second] = await readManifests(bytes, { file });
    if (second) throw new Wrong(`${file}:${second.line}: a config file holds one document, and this is a second one`);
    return document;
  } catch (error) {
    if (isApiError(error)) throw new Wrong(error.message);
    throw error;
  }
}

async function placeOf(document: Manifest, key: string): Promise<string> {
  // A key that is no plain word is no path either; then the document's own place has to do.
  const { file, line, column } = await document.positionOf(/^\w+$/.test(key) ? key : '');
  return `${file}:${line}:${column}`;
}

function textsOf(flag: Flag, value: JsonValue, place: string): readonly string[] {
  if (Array.isArray(value) && flag.repeats) return value.map((one) => textOf(one, place));
  return [textOf(value, place)];
}

function textOf(value: JsonValue, place: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  const found = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : 'an object';
  throw new Wrong(`${place} has to be a single value, and ${found} is there`);
}
