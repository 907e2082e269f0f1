/**
 * Golden outputs: a file that reads like a session at a terminal, and is one. Each block is a command line with what it
 * prints; the test runs every line and compares.
 *
 *     $ ecsmctl get services -n nowhere
 *     ! No resources found in nowhere namespace.
 *
 * `!` begins a line of the error output, `[1]` is an exit code that is not 0, and `80x24 $` is a command in a terminal of
 * that size. After a change that is meant, GOLDEN=write writes the file anew; look at the difference before it stays.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { TestTerminalOptions } from '@ecsm/command-line/testing';
import { expect, it } from 'vitest';
import { type RegistryKit, stable } from './registry.kit.ts';

interface Block {
  readonly head: string;
  readonly line: string;
  readonly options: TestTerminalOptions;
  readonly text: string;
}

/** One test for each command of the file. */
export function goldenTests(kit: RegistryKit, file: URL): void {
  const blocks = blocksOf(readFileSync(file, 'utf8'));
  const isWriting = process.env['GOLDEN'] === 'write';
  const written: string[] = [];
  it.each(blocks)('$head', async ({ head, line, options, text }) => {
    const { out, err, code } = await kit.run(line, options);
    const actual = stable(sessionOf(out, err, code)).replaceAll(kit.directory, '/dir');
    written.push(`${head}\n${actual}`);
    if (!isWriting) expect(actual).toBe(text);
  });
  if (isWriting) it('is written', () => writeFileSync(file, written.join('\n')));
}

function blocksOf(content: string): readonly Block[] {
  return content.split(/^(?=(?:\d+x\d+ )?\$ )/m).map((block) => {
    const [head = '', ...lines] = block.replace(/\n+$/, '\n').split('\n');
    const [, columns, rows, line = ''] = /^(?:(\d+)x(\d+) )?\$ ecsmctl (.*)$/.exec(head) ?? [];
    const terminal = columns === undefined ? undefined : { columns: Number(columns), rows: Number(rows) };
    return { head, line, options: { terminal }, text: lines.join('\n') };
  });
}

function sessionOf(out: string, err: string, code: number): string {
  const whole = out === '' || out.endsWith('\n') ? out : `${out}<no line end>\n`;
  return `${whole.replace(/\n+$/, '\n')}${err.replace(/^(?=.)/gm, '! ')}${code === 0 ? '' : `[${code}]\n`}`;
}
