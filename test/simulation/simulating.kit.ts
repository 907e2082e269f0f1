/** Runs a part of a simulation in a separate process and expects it to succeed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/simulation.mjs', import.meta.url));
const timeoutMs = 3_600_000;

/** Set by `make test THOROUGH=1`, which runs more seeds and crash points. */
export const isThorough = Boolean(process.env['THOROUGH']);

/** `args`: arguments of the simulation; see scripts/simulation.mjs. */
export function simulates(
  name: string,
  of: 'runtime' | 'operator' | 'orchestration' | 'etcd',
  ...args: readonly (string | number)[]
): void {
  it(name, { timeout: timeoutMs }, async () => {
    const line = [script, of, 'part', ...args.map(String)];
    const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    expect(code, `${errors}${output}`).toBe(0);
    expect(output).toMatch(/(?<![0-9])[1-9][0-9]* (?:runs|crash points) passed/u);
  });
}
