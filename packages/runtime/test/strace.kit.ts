/** strace for tests: delays the system calls of a process, or records them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('../../../.tools/usr', import.meta.url));

/** The command that runs a program under strace. `STRACE_BIN` names another strace. */
export function strace(...options: string[]): string[] {
  const unpacked = join(tools, 'bin', 'strace');
  const named = process.env['STRACE_BIN'];
  if (named !== undefined || !existsSync(unpacked)) return [named ?? 'strace', ...options];
  // The libraries beside the unpacked strace are for strace alone.
  const folders = readdirSync(join(tools, 'lib')).map((name) => join(tools, 'lib', name));
  return ['env', `LD_LIBRARY_PATH=${folders.join(':')}`, unpacked, '-E', 'LD_LIBRARY_PATH', ...options];
}

let missing: string | undefined;

/** Whether to skip tests that need strace, with the reason printed. With CI=true nothing is skipped on Linux. */
export function skipWithoutStrace(): boolean {
  if (process.env['CI'] === 'true' && process.platform === 'linux') return false;
  missing ??= tryOut();
  if (missing !== '') process.stderr.write(`tests with strace skipped: ${missing}\n`);
  return missing !== '';
}

/** Also an installed strace is of no use where the system refuses to trace, as in some containers. */
function tryOut(): string {
  if (process.platform !== 'linux') return 'strace exists on Linux only';
  const [program = '', ...rest] = strace(
    '-f',
    '-o',
    '/dev/null',
    '-e',
    'trace=fsync',
    '-e',
    'inject=fsync:delay_exit=1',
  );
  const { error, status, stderr } = spawnSync(program, [...rest, process.execPath, '-e', '0'], { encoding: 'utf8' });
  if (error) return `strace is neither on the PATH nor in .tools/usr/bin (${error.message})`;
  return status === 0 ? '' : `strace cannot trace here: ${stderr.trim().split('\n')[0]}`;
}
