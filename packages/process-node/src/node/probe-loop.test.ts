import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { runProbe } from './probe-loop.ts';

const settings = { initialDelayMs: 500, periodMs: 1_000, timeoutMs: 1_000, successThreshold: 2, failureThreshold: 3 };

async function results(attempts: string) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const left = [...attempts];
  const running = runProbe({
    settings,
    clock,
    signal: stop.signal,
    attempt: async () => (left.shift() === '+' ? undefined : 'refused'),
    changed: ({ is }) => seen.push(`${clock.monotonicMs()} ${is}`),
  });
  await clock.advance(settings.initialDelayMs + settings.periodMs * (attempts.length - 1));
  stop.abort();
  await running;
  return { seen, timers: clock.timers };
}

describe('a probe', () => {
  it('succeeds and fails after as many consecutive results as its thresholds', async () => {
    const { seen } = await results('-+++--+---++');
    expect(seen).toEqual(['2500 success', '9500 failure', '11500 success']);
  });

  it('reports a result once', async () => {
    expect((await results('++++++')).seen).toEqual(['1500 success']);
    expect((await results('------')).seen).toEqual(['2500 failure']);
  });

  it('leaves no timer behind', async () => {
    expect((await results('+')).timers).toBe(0);
  });
});
