/** `top`: what nodes and containers use, live on a terminal, else once. */

import type { Call, Run } from '@ecsm/command-line';
import { paintOf } from '../print/paint.ts';
import { type Column, formatTable } from '../print/table.ts';
import { during } from './change.ts';
import { intervalOf, keepLooking } from './looking.ts';
import type { Context } from './noun.ts';
import { formatOf, isTable, print, type Shown, sorted } from './output.ts';
import { withPlatform } from './platform.ts';

export interface Measured {
  readonly columns: readonly Column[];
  readonly flags: readonly string[];
  /** `isPainted`: with bars, for a terminal. */
  readonly measure: (context: Context, isPainted: boolean) => Promise<readonly Shown[]>;
}

export function top(load: () => Promise<Measured>): Run {
  return async (call) => {
    const format = formatOf(call);
    intervalOf(call);
    sorted(call, []);
    const measured = await load();
    const { out } = call.terminal;
    const isLive = out.canRepaint && call.flag('once') === undefined && isTable(format) && format.kind !== 'name';
    const options = { headers: call.flag('no-headers') === undefined };
    await withPlatform(call, async (platform) => {
      if (!isLive) {
        const look = (context: Context) => measured.measure(context, out.isTerminal);
        const items = await during(call, platform, 'report resource usage', look, measured.flags);
        await print(call, format, [{ columns: measured.columns, items: sorted(call, items) }], options);
        return;
      }
      await keepLooking(call, platform, {
        flags: measured.flags,
        look: (context) => measured.measure(context, true),
        paint: (items) =>
          formatTable({
            columns: measured.columns,
            rows: sorted(call, items).map(({ cells }) => cells),
            columnsMax: columnsFor(call),
            paint: paintOf(out.isColoured),
            wide: format.kind === 'wide',
            ...options,
          }),
      });
    });
  };
}

/** The last column of a terminal stays free: what is painted there moves the cursor. */
export function columnsFor({ terminal: { out } }: Call): number | undefined {
  return out.columns === undefined ? undefined : out.columns - 1;
}
