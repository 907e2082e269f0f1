/** `top`: resource usage of nodes and containers, live on a terminal, otherwise once. */

import type { Call, Run } from '@ecsm/command-line';
import { paintOf } from '../print/paint.ts';
import { type Column, formatTable } from '../print/table.ts';
import { callPlatform } from './change.ts';
import { formatOf, isTable, type OutputItem, print, sorted } from './output.ts';
import { withPlatform } from './platform.ts';
import { intervalOf, showLive } from './polling.ts';
import type { Context } from './resource.ts';

export interface UsageTable {
  readonly columns: readonly Column[];
  readonly flags: readonly string[];
  /** `withBars`: for a terminal. */
  readonly measure: (context: Context, withBars: boolean) => Promise<readonly OutputItem[]>;
}

export function top(load: () => Promise<UsageTable>): Run {
  return async (call) => {
    const format = formatOf(call);
    intervalOf(call);
    sorted(call, []);
    const usage = await load();
    const { out } = call.terminal;
    const isLive = out.canRepaint && call.flag('once') === undefined && isTable(format) && format.kind !== 'name';
    const options = { headers: call.flag('no-headers') === undefined };
    await withPlatform(call, async (platform) => {
      if (!isLive) {
        const read = (context: Context) => usage.measure(context, out.isTerminal);
        const items = await callPlatform(call, platform, 'report resource usage', read, usage.flags);
        await print(call, format, [{ columns: usage.columns, items: sorted(call, items) }], options);
        return;
      }
      await showLive(call, platform, {
        flags: usage.flags,
        read: (context) => usage.measure(context, true),
        paint: (items) =>
          formatTable({
            columns: usage.columns,
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

/** The last column of the terminal stays free, because a character there moves the cursor to the next line. */
export function columnsFor({ terminal: { out } }: Call): number | undefined {
  return out.columns === undefined ? undefined : out.columns - 1;
}
