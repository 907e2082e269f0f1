import { settled } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Failure, Interrupted } from '../command/errors.ts';
import { testTerminal } from '../command/test-terminal.kit.ts';
import { duration, type Progress, waitLine, withProgress } from './progress.ts';

const options = { what: 'service/telemetry', timeoutMs: 60_000 };
const ever = () => new Promise<never>(() => {});

/** Starts to wait, and gives the progress out. */
function waiting(terminal: ReturnType<typeof testTerminal>, more = {}) {
  let progress: Progress | undefined;
  const done = withProgress(terminal.terminal, { ...options, ...more }, (given) => {
    progress = given;
    return ever();
  }).catch((error: unknown) => error);
  if (!progress) throw new Error('it has not started');
  return { progress, done };
}

describe('withProgress', () => {
  it('shows the operation, its duration, its progress, and the time without a response', () => {
    const wait = { what: 'service/telemetry', state: '2/3 ready', elapsedMs: 12_345, timeoutMs: 60_000 };
    expect(waitLine(wait)).toBe('waiting for service/telemetry (12 s of 60 s): 2/3 ready');
    expect(waitLine({ ...wait, sinceContactMs: 40_000 })).toBe(
      'waiting for service/telemetry (12 s of 60 s): 2/3 ready, last contact 40 s ago',
    );
    expect(waitLine({ ...wait, sinceContactMs: 9_999 })).not.toContain('contact');
    expect(waitLine({ ...wait, state: '', timeoutMs: Number.POSITIVE_INFINITY })).toBe(
      'waiting for service/telemetry (12 s)',
    );
  });

  it('formats durations', () => {
    expect([0, -5, 119_999, 120_000, 125_000, 7_200_000, 11_400_000].map(duration)).toEqual([
      '0 s',
      '0 s',
      '119 s',
      '2 min',
      '2 min 5 s',
      '2 h',
      '3 h 10 min',
    ]);
  });

  it('shows nothing for a short wait, and returns the result', async () => {
    const { terminal, err, clock } = testTerminal({ terminal: { columns: 80, rows: 24 } });
    expect(
      await withProgress(terminal, options, async ({ update }) => {
        update('1/3 ready');
        return 5;
      }),
    ).toBe(5);
    expect([err.text, clock.timers]).toEqual(['', 0]);
  });

  it('updates the time on a terminal, and clears it at the end', async () => {
    const terminal = testTerminal({ terminal: { columns: 80, rows: 24 } });
    const { progress, done } = waiting(terminal);
    progress.contact();
    progress.update('1/3 ready');
    await terminal.clock.advance(13_000);
    expect(terminal.err.text).toContain('(12 s of 60 s): 1/3 ready, last contact 12 s ago');
    terminal.interrupt();
    expect(await done).toBeInstanceOf(Interrupted);
    expect(terminal.err.text.endsWith('\n\u001b[?25h')).toBe(true);
  });

  it('prints a line for each change without a terminal', async () => {
    const terminal = testTerminal();
    const { progress } = waiting(terminal);
    progress.contact();
    progress.update('1/3 ready');
    await terminal.clock.advance(8_000);
    progress.update('2/3 ready');
    await terminal.clock.advance(20_000);
    expect(terminal.err.text.split('\n')).toEqual([
      'waiting for service/telemetry (0 s of 60 s): 1/3 ready',
      'waiting for service/telemetry (8 s of 60 s): 2/3 ready',
      'waiting for service/telemetry (10 s of 60 s): 2/3 ready, last contact 10 s ago',
      '',
    ]);
  });

  it('fails at the deadline with its progress and a remedy', async () => {
    const terminal = testTerminal();
    const { progress, done } = waiting(terminal, { remedy: 'look at "sample describe telemetry"' });
    progress.contact();
    progress.update('2/3 ready');
    await terminal.clock.advance(59_999);
    expect(progress.signal.aborted).toBe(false);
    await terminal.clock.advance(1);
    const error = await done;
    expect(error).toBeInstanceOf(Failure);
    expect(String(error)).toBe(
      'Failure: timed out waiting for service/telemetry after 60 s: 2/3 ready, last contact 60 s ago; look at "sample describe telemetry"',
    );
    expect([progress.signal.aborted, terminal.clock.timers]).toEqual([true, 0]);
  });

  it('distinguishes the deadline from errors of the work', async () => {
    const terminal = testTerminal();
    const done = withProgress(
      terminal.terminal,
      options,
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ).catch((error: unknown) => error);
    await settled();
    await terminal.clock.advance(60_000);
    expect(await done).toBeInstanceOf(Failure);
    await expect(
      withProgress(terminal.terminal, options, async () => Promise.reject(new Error('own'))),
    ).rejects.toThrow('own');
  });

  it('shows nothing if it is already interrupted', async () => {
    const terminal = testTerminal();
    terminal.interrupt();
    await expect(withProgress(terminal.terminal, options, ever)).rejects.toBeInstanceOf(Interrupted);
  });
});
