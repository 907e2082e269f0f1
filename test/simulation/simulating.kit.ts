/** Runs a part of a simulation in a separate process and expects it to succeed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/simulation.mjs', import.meta.url));
const results = fileURLToPath(new URL('../../node_modules/.cache/simulation', import.meta.url));
const timeoutMs = 3_600_000;

type SimulationName = 'runtime' | 'operator' | 'orchestration' | 'etcd';
type Arguments = readonly (string | number)[];

/** `args`: arguments of the simulation; see scripts/simulation.mjs. It runs again only if something has changed. */
export function simulates(name: string, of: SimulationName, ...args: Arguments): void {
  it(name, { timeout: timeoutMs }, async () => {
    const { code, output, errors } = await simulateOnce(of, results, ...args);
    expect(code, `${errors}${output}`).toBe(0);
    expect(output).toMatch(/(?<![0-9])[1-9][0-9]* (?:runs|crash points) passed/u);
  });
}

export async function simulateOnce(of: SimulationName, directory: string, ...args: Arguments) {
  const line = [script, of, 'once', directory, ...args.map(String)];
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, output, errors };
}
