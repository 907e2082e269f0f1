/** Records the system calls with which a process changes files, with strace, and reads the record. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strace } from './strace.kit.ts';

/** A system call that succeeded. Times are positions in the trace. */
export interface Call {
  readonly name: string;
  readonly args: readonly string[];
  readonly result: number;
  readonly start: number;
  readonly end: number;
}

const calls = [
  ...['openat', 'open', 'creat', 'close', 'dup', 'dup2', 'dup3'],
  ...['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'ftruncate', 'truncate', 'fallocate'],
  ...['copy_file_range', 'sendfile', 'fsync', 'fdatasync', 'sync_file_range'],
  ...['link', 'linkat', 'unlink', 'unlinkat', 'rename', 'renameat', 'renameat2', 'mkdir', 'mkdirat', 'rmdir'],
];

/** Longer than any single write. */
const stringBytesMax = 16 * 1024 * 1024;
const timeoutMs = 120_000;

interface RecordOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Kills the program when it is about to make its n-th fsync. */
  readonly killAtFsync?: number;
}

/** Runs a program and returns its calls. The trace is written into `scratch`. */
export function record(scratch: string, command: readonly string[], options: RecordOptions = {}): Call[] {
  const { environment = process.env, killAtFsync } = options;
  const file = join(scratch, 'trace');
  // With a question mark: not every machine has every call.
  const trace = `trace=${calls.map((name) => `?${name}`).join(',')}`;
  const kill = killAtFsync === undefined ? [] : ['-e', `inject=fsync:signal=SIGKILL:when=${killAtFsync}`];
  const flags = ['-f', '-y', '-xx', '-s', String(stringBytesMax), '-o', file, '-e', trace, ...kill];
  const [program = '', ...rest] = [...strace(...flags), ...command];
  // Calls by way of io_uring are not seen.
  const env = { ...environment, UV_USE_IO_URING: '0' };
  const run = spawnSync(program, rest, { env, encoding: 'utf8', timeout: timeoutMs, maxBuffer: stringBytesMax });
  const isAsWanted = killAtFsync === undefined ? run.status === 0 : run.signal === 'SIGKILL';
  if (!isAsWanted) {
    throw new Error(`${command.join(' ')} ended with ${run.status ?? run.signal}: ${run.stderr}`);
  }
  return parse(readFileSync(file, 'latin1'));
}

/** A call during which another thread's is recorded has two lines: `… <unfinished ...>` and `<... name resumed>…`. */
function parse(text: string): Call[] {
  const found: Call[] = [];
  const unfinished = new Map<string, { readonly text: string; readonly start: number }>();
  for (const [position, line] of text.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, { text: rest.slice(0, -' <unfinished ...>'.length), start: position });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest)?.[0];
    const started = resumed === undefined ? undefined : unfinished.get(thread);
    const whole = resumed === undefined ? rest : (started?.text ?? '') + rest.slice(resumed.length);
    const call = parseCall(whole);
    if (call) found.push({ ...call, start: started?.start ?? position, end: position });
  }
  return found;
}

function parseCall(text: string): Pick<Call, 'name' | 'args' | 'result'> | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(') ');
  const result = /^\) += (\d+)/.exec(text.slice(close))?.[1];
  // Signals, ends of threads, and calls that failed.
  if (open < 0 || close < 0 || result === undefined) return undefined;
  const name = text.slice(0, open);
  const args = text.slice(open + 1, close).split(', ');
  if (args.some((arg) => arg.endsWith('"...'))) throw new Error(`${name} is recorded in part`);
  return { name, args, result: Number(result) };
}

/** The bytes of a string in a trace. */
export function bytesOf(arg: string | undefined): Buffer {
  const hex = /^"([^"]*)"$/s.exec(arg ?? '')?.[1];
  if (hex === undefined) throw new Error(`not a string: ${arg?.slice(0, 100)}`);
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** The number and the path of a descriptor. */
export function descriptorOf(arg: string | undefined): { readonly number: number; readonly path: string } {
  const [, number = '', path = ''] = /^([^<]*)(?:<([^>]*)>.*)?$/s.exec(arg ?? '') ?? [];
  // Some versions of strace write paths as they are.
  const isHex = path.startsWith('\\x');
  return { number: Number(number), path: isHex ? Buffer.from(path.replaceAll('\\x', ''), 'hex').toString() : path };
}
