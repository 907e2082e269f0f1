/**
 * Golden files: outputs that tests compare with. Most of them read like a session at a terminal:
 *
 *     $ ecsmctl get services -n nowhere
 *     ! No resources found in nowhere namespace.
 *
 * `!` begins a line of the error output, `[1]` is an exit code that is not 0, and `80x24 $` is a command in a terminal of
 * that size. After a change that is intended, GOLDEN=write writes the files anew; read the difference before committing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { TerminalSize, TestRun } from './test-terminal.kit.ts';

export const isWritingGolden = process.env['GOLDEN'] === 'write';

/** Compares with the file, or writes it with GOLDEN=write. */
export function expectGolden(file: URL, text: string): void {
  if (isWritingGolden) writeFileSync(file, text);
  else expect(text).toBe(readFileSync(file, 'utf8'));
}

/** `$ ecsm-cli get nodes`, or `80x24 $ ecsm-cli get nodes`. */
export function goldenHead(line: string, terminal?: TerminalSize): string {
  return `${terminal ? `${terminal.columns}x${terminal.rows} ` : ''}$ ${line}`;
}

export function goldenOutput({ out, err, code }: TestRun): string {
  const whole = out === '' || out.endsWith('\n') ? out : `${out}<no line end>\n`;
  return `${whole.replace(/\n+$/, '\n')}${err.replace(/^(?=.)/gm, '! ')}${code === 0 ? '' : `[${code}]\n`}`;
}
