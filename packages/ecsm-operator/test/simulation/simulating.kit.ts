/** Runs a part of the simulation in a process of its own, and expects it to end well. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const script = fileURLToPath(new URL('../../../../scripts/simulation.mjs', import.meta.url));

export async function simulates(...words: readonly (string | number)[]): Promise<void> {
  const child = spawn(process.execPath, [script, 'part', ...words.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], said, complained] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  expect(code, complained).toBe(0);
  expect(said).toMatch(/^[1-9][0-9]* (?:runs|crash points) passed\n$/u);
}
