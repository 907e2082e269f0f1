/**
 * The files of a ConfigMap or Secret volume. As kubelet does, each file is a symbolic link through `..data`, a link to a
 * directory with all of them, which is replaced by a rename: a reader finds all files of one version.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const dataLink = '..data';

/** By path relative to the volume. */
export type Payload = ReadonlyMap<string, Buffer>;

/** Returns whether anything has changed. */
export function writePayload(directory: string, payload: Payload, mode: number): boolean {
  mkdirSync(directory, { recursive: true });
  const before = existsSync(join(directory, dataLink)) ? readlinkSync(join(directory, dataLink)) : undefined;
  if (before !== undefined && isSame(join(directory, before), payload)) return false;
  const version = `..version-${before === undefined ? 1 : Number(before.split('-').at(-1)) + 1}`;
  for (const [path, bytes] of payload) {
    const file = join(directory, version, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode });
  }
  mkdirSync(join(directory, version), { recursive: true });
  rmSync(join(directory, '..data-next'), { force: true });
  symlinkSync(version, join(directory, '..data-next'));
  renameSync(join(directory, '..data-next'), join(directory, dataLink));
  linkEntries(directory, new Set([...payload.keys()].map((path) => path.split('/')[0] ?? path)));
  if (before !== undefined) rmSync(join(directory, before), { recursive: true, force: true });
  return true;
}

/** One link for each top-level entry. */
function linkEntries(directory: string, wanted: ReadonlySet<string>): void {
  const existing = new Set(readdirSync(directory).filter((name) => !name.startsWith('..')));
  for (const name of wanted) if (!existing.has(name)) symlinkSync(join(dataLink, name), join(directory, name));
  for (const name of existing) if (!wanted.has(name)) rmSync(join(directory, name), { force: true });
}

function isSame(directory: string, payload: Payload): boolean {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  if (files.length !== payload.size) return false;
  return [...payload].every(([path, bytes]) => {
    const file = join(directory, path);
    return existsSync(file) && readFileSync(file).equals(bytes);
  });
}
