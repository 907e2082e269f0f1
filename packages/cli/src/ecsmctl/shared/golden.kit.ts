/** Golden sessions of ecsmctl: the test runs every command of the file and compares what it prints. */
import { readFileSync } from 'node:fs';
import { expectGolden, goldenOutput, isWritingGolden, type TestTerminalOptions } from '@ecsm/command-line/testing';
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
  const written: string[] = [];
  it.each(blocksOf(readFileSync(file, 'utf8')))('$head', async ({ head, line, options, text }) => {
    const actual = stable(goldenOutput(await kit.run(line, options))).replaceAll(kit.directory, '/dir');
    written.push(`${head}\n${actual}`);
    if (!isWritingGolden) expect(actual).toBe(text);
  });
  if (isWritingGolden) it('is written', () => expectGolden(file, written.join('\n')));
}

function blocksOf(content: string): readonly Block[] {
  return content.split(/^(?=(?:\d+x\d+ )?\$ )/m).map((block) => {
    const [head = '', ...lines] = block.replace(/\n+$/, '\n').split('\n');
    const [, columns, rows, line = ''] = /^(?:(\d+)x(\d+) )?\$ ecsmctl (.*)$/.exec(head) ?? [];
    const terminal = columns === undefined ? undefined : { columns: Number(columns), rows: Number(rows) };
    return { head, line, options: { terminal }, text: lines.join('\n') };
  });
}
