/** The tour runs on any machine, fits on a terminal, and removes everything that it creates. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from './documents.kit.ts';

const tour = 'examples/tour/tour.mjs';
const directoryIn = (output: string) => /\S*\/ecsm-tour-\w+/.exec(output)?.[0] ?? '';

it('exits without a terminal, fits into 80 columns, and removes its files', async () => {
  const { code, output } = await run(process.execPath, [tour]);
  expect(code, output).toBe(0);
  const directory = directoryIn(output);
  expect(directory).not.toBe('');
  expect(existsSync(directory)).toBe(false);
  expect(output).not.toContain('\u001b');
  expect(output.split('\n').filter((line) => line.length > 80 && !line.includes(directory))).toEqual([]);
});

it('stops cleanly when it is interrupted', async () => {
  const { code, output } = await run(process.execPath, [tour], {
    onOutput: (soFar, child) => {
      if (soFar.includes('1. Apply')) child.kill('SIGINT');
    },
  });
  expect(code, output).toBe(0);
  expect(existsSync(directoryIn(output))).toBe(false);
});

/**
 * `script` runs a program on a terminal. It starts a shell; `exec` replaces it, because a waiting shell would get the
 * Ctrl-C too, and dash then exits with 130 in any case.
 */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

it.skipIf(!hasTerminal)('shows edits and rejected edits on a terminal until Ctrl-C', async () => {
  let file = '';
  const done: string[] = [];
  const once = (step: string, action: () => void) => {
    if (done.includes(step)) return;
    done.push(step);
    action();
  };
  const { code, output } = await run('script', ['-qefc', `exec ${process.execPath} ${tour}`, '/dev/null'], {
    onOutput: (soFar, child) => {
      file ||= /\S+magnetometer\.json/.exec(soFar)?.[0] ?? '';
      const edit = (from: string, to: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
      if (file === '' || !soFar.includes('Ctrl-C stops the tour.')) return;
      once('edited', () => edit('"ratePerMinute": 6', '"ratePerMinute": 12'));
      if (!soFar.includes('Standby, 12/min')) return;
      once('invalidated', () => edit('"Standby"', '"Asleep"'));
      if (!soFar.includes('"Asleep"')) return;
      once('removed', () => rmSync(file));
      if (!soFar.includes('Deleted magnetometer')) return;
      once('interrupted', () => child.stdin.write('\u0003'));
    },
  });
  expect(done).toEqual(['edited', 'invalidated', 'removed', 'interrupted']);
  expect(output).toContain('Stopped.');
  expect(code, output).toBe(0);
  expect(existsSync(directoryIn(output))).toBe(false);
});
