/** How far something is: a bar on a terminal, and elsewhere a few words that do not come too often. */

import type { Progress, Terminal } from '@ecsm/command-line';
import { formatPercent } from '../print/age.ts';
import { bar } from '../print/bar.ts';

const barColumns = 20;
/** Where lines cannot be painted over, each is one more to read. */
const lineEvery = 0.25;

/** Blocks are drawn unless the terminal is one that has none. */
export function hasBlocks({ env }: Pick<Terminal, 'env'>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return env['TERM'] !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** `more`: `2Mi of 8Mi`. */
export function shareTeller(terminal: Terminal, { update }: Progress): (share: number, more: string) => void {
  let lines = -1;
  return (share, more) => {
    if (terminal.err.canRepaint) {
      const painted = bar(share, barColumns, { ascii: !hasBlocks(terminal) });
      update(`[${painted}] ${formatPercent(share)}, ${more}`);
      return;
    }
    const line = Math.floor(share / lineEvery);
    if (line === lines) return;
    lines = line;
    update(`${formatPercent(share)}, ${more}`);
  };
}
