import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilSignal } from './signals.ts';
import { MemoryLog } from './virtual.kit.ts';

class FakeProcess extends EventEmitter {
  readonly codes: number[] = [];

  exit(code: number): void {
    this.codes.push(code);
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('ended in order')));

describe('untilSignal', () => {
  it.each(['SIGTERM', 'SIGINT'])('stops gracefully on %s, and removes its listeners', async (name) => {
    const process = new FakeProcess();
    const ended = untilSignal(untilAborted, { process });
    process.emit(name, name);
    expect(await ended).toBe('ended in order');
    expect(process.codes).toEqual([]);
    expect(process.eventNames()).toEqual([]);
  });

  it('exits immediately with code 1 on a second signal', async () => {
    const [process, log] = [new FakeProcess(), new MemoryLog()];
    void untilSignal(() => new Promise(() => {}), { process, log });
    process.emit('SIGTERM', 'SIGTERM');
    expect(process.codes).toEqual([]);
    process.emit('SIGINT', 'SIGINT');
    expect(process.codes).toEqual([1]);
    expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['info', { signal: 'SIGTERM' }],
      ['error', { signal: 'SIGINT' }],
    ]);
  });

  it('returns the result of the work, and removes its listeners', async () => {
    const process = new FakeProcess();
    await expect(untilSignal(() => Promise.reject(new Error('broken')), { process })).rejects.toThrow('broken');
    expect(await untilSignal(async () => 7, { process })).toBe(7);
    expect(process.eventNames()).toEqual([]);
  });

  it('handles a real signal', async () => {
    const ended = untilSignal(untilAborted);
    process.kill(process.pid, 'SIGINT');
    expect(await ended).toBe('ended in order');
  });

  it('removes its listeners from this process, too', async () => {
    const before = process.listenerCount('SIGTERM');
    await untilSignal(async () => expect(process.listenerCount('SIGTERM')).toBe(before + 1));
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
