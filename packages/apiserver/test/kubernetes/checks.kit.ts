/** Programs of other ecosystems that check our server: they print "ok" and the name of each check that passed. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

export const launcher = fileURLToPath(new URL('../../../../bin/ecsm-apiserver', import.meta.url));

/** A program whose checks take longer hangs. */
const checksMsMax = 110_000;

interface RunOptions {
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
}

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function run(file: string, argv: readonly string[], options: RunOptions = {}): Promise<Result> {
  const { cwd, timeoutMs = checksMsMax, env } = options;
  return new Promise((resolve) => {
    execFile(file, argv, { cwd, timeout: timeoutMs, env: { ...process.env, ...env } }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out, err: error === null ? err : `${err}${error.message}` });
    });
  });
}

export async function expectChecks(count: number, ...program: Parameters<typeof run>): Promise<void> {
  const { code, out, err } = await run(...program);
  const lines = out.trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith('ok ')).join('\n') + err).toBe('');
  expect({ code, passed: lines.length }).toEqual({ code: 0, passed: count });
}
