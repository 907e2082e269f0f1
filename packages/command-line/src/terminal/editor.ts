/** Opens a text in an editor, in a file that only this user can read. Loaded when it is needed. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Failure } from '../command/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Replaced characters would be stored. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Edited {
  readonly text: string;
  /** Where it is saved, in a directory of its own. */
  readonly path: string;
}

/**
 * The file is kept until `discard`, and removed if the editor fails. When the signal aborts, the editor gets SIGTERM and
 * the file is kept, as is one that is not UTF-8.
 */
export async function editText(text: string, suffix: string, env: Environment, signal: AbortSignal): Promise<Edited> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const path = join(await ownDirectory(env['TMPDIR'] || tmpdir()), `edit${suffix}`);
  let saved: Uint8Array;
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    await runEditor(editor, path, env, signal);
    saved = await readFile(path);
  } catch (error) {
    if (signal.aborted) throw new Failure(`interrupted: what the editor has saved is in ${path}`);
    await discard(path);
    if (error instanceof Failure) throw error;
    throw new Failure(`cannot edit the text: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
  try {
    return { text: utf8.decode(saved), path };
  } catch {
    throw new Failure(`the saved text is not UTF-8, and nothing was changed: save it as UTF-8. It is kept in ${path}`);
  }
}

/** For this user only. */
async function ownDirectory(parent: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, 'ecsm-edit-'));
  } catch (error) {
    throw new Failure(`cannot write to ${parent}: set TMPDIR to a writable directory`, { cause: error });
  }
}

export async function discard(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true });
}

/** Runs in a shell, because EDITOR may contain flags. Without a terminal it gets no input, so that it cannot block. */
async function runEditor(editor: string, path: string, env: Environment, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const input = process.stdin.isTTY ? 'inherit' : 'ignore';
  const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], { stdio: [input, 'inherit', 'inherit'], env });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, killedBy) => resolve(exitCode ?? killedBy ?? 'nothing'));
  }).finally(() => signal.removeEventListener('abort', stop));
  signal.throwIfAborted();
  if (code === 0) return;
  if (code === 127) throw new Failure(`there is no editor "${editor}": set EDITOR to an installed editor`);
  const why =
    input === 'inherit'
      ? ''
      : ', and standard input is not a terminal: run it in one, or set EDITOR to a program that needs none';
  throw new Failure(`the editor "${editor}" ended with ${code}${why}; nothing was changed`);
}
