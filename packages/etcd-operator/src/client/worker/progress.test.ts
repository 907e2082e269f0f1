import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type ProgressMemory, parseProgress, readProgress, workerProgress } from './progress.ts';

async function serve(answer: string): Promise<number> {
  const server = createServer((_request, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it('is what a worker answers', async () => {
  const port = await serve('{"step":"storing","bytes":5,"totalBytes":10,"more":1}');
  expect(await readProgress('127.0.0.1', port)).toEqual({ step: 'storing', bytes: 5, totalBytes: 10 });
});

it('is unknown without an answer, or with another one', async () => {
  expect(await readProgress('127.0.0.1', 1)).toBeUndefined();
  expect(await readProgress('127.0.0.1', await serve('x'.repeat(100_000)))).toBeUndefined();
  expect(parseProgress('[]')).toBeUndefined();
  expect(parseProgress('{"bytes":-1,"step":7}')).toEqual({});
});

it('is unknown if the answer does not end in time, also while it arrives slowly', async () => {
  const server = createServer((_request, response) => {
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  expect(await readProgress('127.0.0.1', (server.address() as AddressInfo).port)).toBeUndefined();
});

it('is asked for at most once in an interval, of each worker', async () => {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const options = { read: async (address: string) => ({ bytes: asked.push(address) }), port: 1, intervalMs: 2_000 };
  const [first, second]: Partial<ProgressMemory>[] = [{}, {}];
  const progressOf = (memory: Partial<ProgressMemory> = {}, address: string, phase = 'Running') =>
    workerProgress(memory, { phase, address }, clock, options);
  expect(await progressOf(first, 'a')).toEqual({ bytes: 1 });
  await clock.advance(1_999);
  expect(await progressOf(first, 'a')).toEqual({ bytes: 1 });
  expect(await progressOf(second, 'b')).toEqual({ bytes: 2 });
  await clock.advance(1);
  expect(await progressOf(first, 'a')).toEqual({ bytes: 3 });
  expect(await progressOf(second, 'b')).toEqual({ bytes: 2 });
  // Another pod of the object.
  expect(await progressOf(second, 'c')).toEqual({ bytes: 4 });
  expect(await progressOf(second, 'c', 'Succeeded')).toBeUndefined();
  expect(asked).toEqual(['a', 'b', 'a', 'c']);
});
