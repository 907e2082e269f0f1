/** The sample program as a real process, with or without a terminal. It is bundled from the sources, as the tools are. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { finished, type OnOutput, type Ran } from './finished.kit.ts';

/** A program that takes longer hangs. */
const runMsMax = 120_000;

/** `script` gives a program a terminal. Debian has it in its base. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0;

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its input, which then ends. Absent: the input stays open and empty. */
  readonly input?: string | Uint8Array;
  readonly onOutput?: OnOutput;
}

interface Sample {
  /** Of this test file, removed at its end. `sample` is in it, to be found by a PATH. */
  readonly directory: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** In a terminal of 60 columns and 20 rows. Output and errors come together in `out`. */
  runInTerminal(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** In a shell, where `sample` is a command. */
  shell(script: string, options?: RunOptions): Promise<Ran>;
}

/** Call it at the top of a test file. */
export function sampleProcess(): Sample {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-shell-'));
  const main = join(directory, 'sample-main.kit.js');
  beforeAll(async () => {
    await build({
      entryPoints: [fileURLToPath(new URL('sample-main.kit.ts', import.meta.url))],
      outdir: directory,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      alias: { '@ecsm/runtime/lib': fileURLToPath(new URL('../../../runtime/src/lib/public.ts', import.meta.url)) },
      external: ['@ecsm/runtime'],
      logLevel: 'error',
    });
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    writeFileSync(join(directory, 'sample'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    chmodSync(join(directory, 'sample'), 0o755);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const start = (command: string, argv: readonly string[], { env = {}, input, onOutput }: RunOptions = {}) => {
    const child = spawn(command, argv, {
      cwd: directory,
      env: { PATH: `${directory}:${process.env['PATH']}`, HOME: directory, TMPDIR: directory, TERM: 'xterm', ...env },
      timeout: runMsMax,
      killSignal: 'SIGKILL',
    });
    // Who does not read all of its input closes it early.
    child.stdin.on('error', () => {});
    if (input !== undefined) child.stdin.end(input);
    return finished(child, onOutput);
  };
  const quoted = (argv: readonly string[]) => argv.map((word) => `'${word}'`).join(' ');
  return {
    directory,
    run: (argv, options) => start(process.execPath, [main, ...argv], options),
    // `exec`, because a shell that waits would get the Ctrl-C, too.
    runInTerminal: (argv, options) =>
      start('script', ['-qefc', `stty cols 60 rows 20; exec sample ${quoted(argv)}`, '/dev/null'], options),
    shell: (script, options) => start('bash', ['--norc', '-c', script], options),
  };
}

/** Does something once, the first time that the output has this. */
export function when(
  ...steps: readonly (readonly [pattern: RegExp, action: (child: ChildProcessWithoutNullStreams) => void])[]
): OnOutput {
  const left = [...steps];
  return (text, child) => {
    const [next] = left;
    if (!next?.[0].test(text)) return;
    left.shift();
    next[1](child);
  };
}
