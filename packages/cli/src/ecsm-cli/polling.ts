/**
 * Polls the platform for `top` and `watch`. While the platform does not respond, the last snapshot stays on the screen,
 * with its age.
 */

import { type Call, duration, Live } from '@ecsm/command-line';
import { isApiError, sleep } from '@ecsm/runtime';
import { isLinkError } from './link.ts';
import type { Platform } from './platform.ts';
import { type Context, contextOf } from './resource.ts';
import { durationMsOf } from './values.ts';

const repaintMs = 1_000;
/** A shorter time without a response is not reported, unless a request failed. */
const silenceMs = 10_000;

export interface PollOptions<T> {
  readonly flags: readonly string[];
  readonly read: (context: Context) => Promise<T>;
  /** Milliseconds. Default: until Ctrl-C. */
  readonly forMs?: number | undefined;
}

interface LiveOptions<T> extends PollOptions<T> {
  /** The text to show. It must fit the current size of the terminal. */
  readonly paint: (snapshot: T) => string;
}

/** Throws if the first read fails, because there is nothing to show. */
export async function showLive<T>(call: Call, platform: Platform, options: LiveOptions<T>): Promise<void> {
  const { terminal } = call;
  const { clock, signal, out } = terminal;
  const intervalMs = intervalOf(call);
  const live = new Live(out, signal);
  let snapshot: T | undefined;
  let problem: string | undefined;
  let cancelTick = () => {};
  const paint = () => {
    if (snapshot === undefined) return;
    live.show(`${linkLine(call, platform, problem, intervalMs)}\n${options.paint(snapshot).trimEnd()}`);
  };
  const tick = () => {
    paint();
    cancelTick = clock.after(repaintMs, tick);
  };
  try {
    cancelTick = clock.after(repaintMs, tick);
    await poll(call, platform, options, (next, error) => {
      snapshot = next ?? snapshot;
      problem = error;
      paint();
    });
  } finally {
    cancelTick();
    live.close();
  }
}

/** Calls `onRead` with each snapshot, or with the problem of the link. Returns when the signal aborts. */
export async function poll<T>(
  call: Call,
  platform: Platform,
  { flags, read, forMs = Number.POSITIVE_INFINITY }: PollOptions<T>,
  onRead: (snapshot: T | undefined, problem: string | undefined) => void,
): Promise<void> {
  const { clock, signal } = call.terminal;
  const intervalMs = intervalOf(call);
  const endMs = clock.monotonicMs() + forMs;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      onRead(await read(contextOf(call, platform, { flags })), undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isLinkError(error)) throw error;
      onRead(undefined, isApiError(error, 'Timeout') ? 'no response' : 'unreachable');
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

/** It is the first line, because a small terminal cuts off the end of a long table. */
function linkLine(
  { terminal }: Call,
  { url, link }: Platform,
  problem: string | undefined,
  intervalMs: number,
): string {
  const sinceMs = terminal.clock.monotonicMs() - (link.contactMs ?? terminal.clock.monotonicMs());
  const isSilent = problem !== undefined || sinceMs >= Math.max(silenceMs, 2 * intervalMs);
  const state = isSilent ? `${problem ?? 'no response'}, last contact ${duration(sinceMs)} ago` : 'Ctrl-C to exit';
  return `${url}: ${state}`;
}
