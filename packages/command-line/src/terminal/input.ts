/** Reads standard input, as a whole or as the answer to a prompt. Loaded when it is needed. */
import { fstatSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Failure, UsageError } from '../command/errors.ts';
import type { OutputStream } from '../command/terminal.ts';
import { mebibytes } from './files.ts';

const inputBytesMax = 64 * 1024 * 1024;

export async function readStandardInput(signal: AbortSignal, bytesMax = inputBytesMax): Promise<Uint8Array> {
  signal.throwIfAborted();
  const input = process.stdin;
  if (input.isTTY) throw new UsageError('standard input is a terminal: name a file, or pipe one in with "cat FILE |"');
  // Node.js reads a directory as an empty file.
  if (fstatSync(input.fd).isDirectory()) throw new UsageError('standard input is a directory: name a file');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stop = () => void input.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of input) {
      const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += piece.length;
      if (bytes > bytesMax) throw new Failure(`standard input is larger than the limit of ${mebibytes(bytesMax)}`);
      chunks.push(piece);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Failure
      ? error
      : new Failure(`standard input cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

/**
 * The terminal itself does the editing of the line and turns Ctrl-C into a signal; a readline that did both would have
 * to give the terminal back, and would not when the program is killed.
 */
export async function promptUser(
  question: string,
  err: OutputStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  if (!process.stdin.isTTY || !err.isTerminal) return undefined;
  err.write(question.endsWith(' ') ? question : `${question} `);
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      lines.once('line', resolve);
      lines.once('close', () => {
        signal.removeEventListener('abort', stop);
        resolve(undefined);
      });
    });
  } finally {
    lines.close();
    process.stdin.pause();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
