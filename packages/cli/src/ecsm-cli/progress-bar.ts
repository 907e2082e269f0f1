/** Progress as a bar on a terminal, and otherwise as occasional lines. */

import type { Progress, Terminal } from '@ecsm/command-line';
import { formatPercent } from '../print/amount.ts';
import { bar } from '../print/bar.ts';
import { supportsUnicode } from '../print/unicode.ts';

const barColumns = 20;
/** Fraction of progress between two lines if they cannot be repainted. */
const lineEvery = 0.25;

/** `detail`: `2Mi of 8Mi`. */
export function progressReporter(terminal: Terminal, { update }: Progress): (share: number, detail: string) => void {
  let lines = -1;
  return (share, detail) => {
    if (terminal.err.canRepaint) {
      const painted = bar(share, barColumns, { ascii: !supportsUnicode(terminal) });
      update(`[${painted}] ${formatPercent(share)}, ${detail}`);
      return;
    }
    const line = Math.floor(share / lineEvery);
    if (line === lines) return;
    lines = line;
    update(`${formatPercent(share)}, ${detail}`);
  };
}
