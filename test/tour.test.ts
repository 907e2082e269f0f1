/** The tour is the first thing that a newcomer sees: it has to run anywhere, look well, and leave nothing behind. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from './documents.kit.ts';

const tour = 'examples/tour/tour.mjs';
const directoryIn = (output: string) => /\S*\/ecsm-tour-\w+/.exec(output)?.[0] ?? '';

it('ends by itself without a terminal, fits into 80 columns, and leaves nothing behind', async () => {
  const { code, output } = await run(process.execPath, [tour]);
  expect(code, output).toBe(0);
  const directory = directoryIn(output);
  expect(directory).not.toBe('');
  expect(existsSync(directory)).toBe(false);
  expect(output).not.toContain('\u001b');
  expect(output.split('\n').filter((line) => line.length > 80 && !line.includes(directory))).toEqual([]);
});

it('stops cleanly when it is interrupted in the middle', async () => {
  const { code, output } = await run(process.execPath, [tour], {
    onOutput: (soFar, child) => {
      if (soFar.includes('1. Apply')) child.kill('SIGINT');
    },
  });
  expect(code, output).toBe(0);
  expect(existsSync(directoryIn(output))).toBe(false);
});

/**
 * `script` gives a program a terminal. Debian has it in its base. It starts a shell; `exec`, because a shell that waits
 * would get the Ctrl-C too, and dash then ends with 130 whatever the program did.
 */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

it.skipIf(!hasTerminal)('goes on in a terminal: shows edits and refusals until Ctrl-C', async () => {
  let file = '';
  const said: string[] = [];
  const once = (word: string, action: () => void) => {
    if (said.includes(word)) return;
    said.push(word);
    action();
  };
  const { code, output } = await run('script', ['-qefc', `exec ${process.execPath} ${tour}`, '/dev/null'], {
    onOutput: (soFar, child) => {
      file ||= /\S+magnetometer\.json/.exec(soFar)?.[0] ?? '';
      const edit = (from: string, to: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
      if (file === '' || !soFar.includes('Ctrl-C stops the tour.')) return;
      once('edited', () => edit('"ratePerMinute": 6', '"ratePerMinute": 12'));
      if (!soFar.includes('Standby, 12/min')) return;
      once('spoilt', () => edit('"Standby"', '"Asleep"'));
      if (!soFar.includes('"Asleep"')) return;
      once('removed', () => rmSync(file));
      if (!soFar.includes('Deleted magnetometer')) return;
      once('interrupted', () => child.stdin.write('\u0003'));
    },
  });
  expect(said).toEqual(['edited', 'spoilt', 'removed', 'interrupted']);
  expect(output).toContain('Stopped.');
  expect(code, output).toBe(0);
  expect(existsSync(directoryIn(output))).toBe(false);
});
