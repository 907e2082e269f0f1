/**
 * Looking at the platform again and again, for `top` and `watch`. What was seen last stays on the screen, and how old it
 * is, for as long as the platform does not answer.
 */

import { type Call, duration, Live } from '@ecsm/command-line';
import { isApiError, sleep } from '@ecsm/runtime';
import { isLinkTrouble } from './link.ts';
import { type Context, contextOf } from './noun.ts';
import type { Platform } from './platform.ts';
import { durationMsOf } from './values.ts';

const repaintMs = 1_000;
/** A silence that is shorter means nothing, if nothing failed. */
const silenceMs = 10_000;

export interface Looking<Seen> {
  readonly flags: readonly string[];
  readonly look: (context: Context) => Promise<Seen>;
  /** What is painted; it has to fit the terminal of that moment. */
  readonly paint: (seen: Seen) => string;
  /** Default: until somebody stops it. */
  readonly forMs?: number | undefined;
}

/** Throws if the first look fails: then there is nothing to show. */
export async function keepLooking<Seen>(call: Call, platform: Platform, looking: Looking<Seen>): Promise<void> {
  const { terminal } = call;
  const { clock, signal, out } = terminal;
  const intervalMs = intervalOf(call);
  const live = new Live(out, signal);
  let seen: Seen | undefined;
  let trouble: string | undefined;
  let cancelTick = () => {};
  const paint = () => {
    if (seen === undefined) return;
    live.show(`${linkLine(call, platform, trouble, intervalMs)}\n${looking.paint(seen).trimEnd()}`);
  };
  const tick = () => {
    paint();
    cancelTick = clock.after(repaintMs, tick);
  };
  try {
    cancelTick = clock.after(repaintMs, tick);
    await again(call, platform, looking, (next, error) => {
      seen = next ?? seen;
      trouble = error;
      paint();
    });
  } finally {
    cancelTick();
    live.close();
  }
}

/** Tells of each look, or of the trouble that there was instead. Ends without complaint when the signal aborts. */
export async function again<Seen>(
  call: Call,
  platform: Platform,
  { flags, look, forMs = Number.POSITIVE_INFINITY }: Pick<Looking<Seen>, 'flags' | 'look' | 'forMs'>,
  tell: (seen: Seen | undefined, trouble: string | undefined) => void,
): Promise<void> {
  const { clock, signal } = call.terminal;
  const intervalMs = intervalOf(call);
  const endMs = clock.monotonicMs() + forMs;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      tell(await look(contextOf(call, platform, { flags })), undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isLinkTrouble(error)) throw error;
      tell(undefined, isApiError(error, 'Timeout') ? 'no response' : 'unreachable');
    }
    if (clock.monotonicMs() + intervalMs > endMs) {
      await sleep(clock, Math.max(0, endMs - clock.monotonicMs()), signal);
      return;
    }
    await sleep(clock, intervalMs, signal);
  }
}

export function intervalOf(call: Call): number {
  return durationMsOf(call.flag('interval') ?? '2s', '--interval');
}

/** It stands first: in a terminal of few rows the end of a long table is cut off. */
function linkLine(
  { terminal }: Call,
  { url, link }: Platform,
  trouble: string | undefined,
  intervalMs: number,
): string {
  const sinceMs = terminal.clock.monotonicMs() - (link.contactMs ?? terminal.clock.monotonicMs());
  const isSilent = trouble !== undefined || sinceMs >= Math.max(silenceMs, 2 * intervalMs);
  const state = isSilent
    ? `${trouble ?? 'no response'}, last contact ${duration(sinceMs)} ago`
    : 'press Ctrl-C to exit';
  return `${url}: ${state}`;
}
