/** Walks the store's directory: lists its files by key, and reports anything unexpected. */
import { type Dirent, lstatSync, statSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../contract.ts';
import { messageOf } from './edit-reader.ts';
import { type Extension, extensionOf, isHidden, nameOf } from './names.ts';
import { fingerprint, symbolicLink } from './observation.ts';
import type { Finding } from './problems.ts';

/** Directory entries read at a time, so that the event loop is not blocked. */
const batchEntries = 256;

export interface Found {
  readonly file: string;
  readonly extension: Extension;
  readonly stat: string;
  readonly sizeBytes: number;
}

export class Tree {
  /** By key. More than one if there are, for example, both `a.json` and `a.yaml`. */
  readonly files = new Map<string, Found[]>();
  /** Paths of all directories. */
  readonly directories: string[] = [];
  readonly findings: Finding[] = [];
}

export async function walk(root: string): Promise<Tree> {
  const tree = new Tree();
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const directory = join(root, path);
    try {
      for await (const entry of await opendir(directory, { bufferSize: batchEntries })) {
        if (isHidden(entry.name)) continue;
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        const isDeep = below.length > 2 * limits.keyCharactersMax;
        if (!entry.isDirectory()) visit(tree, join(root, below), below, entry);
        else if (!isDeep) waiting.push(below);
      }
      tree.directories.push(directory);
    } catch (error) {
      if (!isMissing(error)) tree.findings.push({ file: directory, reason: messageOf(error) });
    }
  }
  return tree;
}

function visit(tree: Tree, file: string, path: string, entry: Dirent): void {
  if (entry.isSymbolicLink()) {
    if (extensionOf(path) !== undefined || leadsToDirectory(file)) tree.findings.push({ file, reason: symbolicLink });
    return;
  }
  const name = nameOf(path);
  if (name.is === 'other') return;
  if (name.is === 'misnamed') {
    tree.findings.push({ file, reason: name.reason });
    return;
  }
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return;
  const found = { file, extension: name.extension, stat: fingerprint(stats), sizeBytes: Number(stats.size) };
  const others = tree.files.get(name.key);
  if (others === undefined) tree.files.set(name.key, [found]);
  else others.push(found);
}

function leadsToDirectory(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
