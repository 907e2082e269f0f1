/** How a streaming response is read, and how it ends. Method: HTTP servers that send what a test asks for. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { parseEndpoints } from './endpoint.ts';
import type { EtcdFailure } from './errors.ts';
import { lineBytesMax, openStream } from './stream.ts';
import { afterwards, cleanup, serve } from './testing.kit.ts';

afterEach(cleanup);

async function open(answer: (response: ServerResponse, body: string) => void, timeoutMs = 60_000) {
  const address = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => answer(response, body));
  });
  const [endpoint] = parseEndpoints([address], undefined);
  const lines: string[] = [];
  const failures: EtcdFailure[] = [];
  const stream = openStream({
    endpoint,
    path: '/v3/watch',
    headers: {},
    body: '{"a":1}',
    clock: systemClock,
    timeoutMs,
    handlers: { line: (text) => void lines.push(text), ended: (failure) => void failures.push(failure) },
  });
  afterwards(async () => {
    stream.close();
    endpoint.destroy();
  });
  const ended = async () => {
    await expect.poll(() => failures.length, { interval: 5 }).toBe(1);
    return [failures[0]?.kind, failures[0]?.message];
  };
  return { stream, lines, failures, ended, address };
}

const untilLines = (lines: readonly string[], expected: readonly string[]) =>
  expect.poll(() => [...lines], { interval: 5 }).toEqual(expected);

describe('a stream', () => {
  it('is read line by line, wherever its chunks end, without empty lines', async () => {
    const { lines, ended } = await open((response, body) => {
      const pieces = [`${body}\n\nfir`, 'st\nsecond\nthi', 'rd\nrest'];
      const send = () => {
        response.write(pieces.shift() ?? '');
        if (pieces.length > 0) setTimeout(send, 20);
        else response.end();
      };
      send();
    });
    await untilLines(lines, ['{"a":1}', 'first', 'second', 'third']);
    expect(await ended()).toEqual(['unavailable', expect.stringContaining('ended the stream')]);
  });

  it('ends if nothing is answered in time, and not after its first line', async () => {
    const silent = await open(() => {}, 30);
    expect(await silent.ended()).toEqual(['timeout', expect.stringContaining('no response within 30 ms')]);
    const { lines, failures } = await open((response) => response.write('one\n'), 2_000);
    await untilLines(lines, ['one']);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(failures).toEqual([]);
  });

  it('ends with the reason that etcd gives', async () => {
    const { ended, lines } = await open((response) =>
      response.writeHead(403).end('{"message":"etcdserver: permission denied","code":7}'),
    );
    expect(await ended()).toEqual(['denied', 'etcdserver: permission denied']);
    expect(lines).toEqual([]);
  });

  it('ends when its connection breaks, before and after the first line', async () => {
    const before = await open((response) => response.socket?.destroy());
    expect((await before.ended())[0]).toBe('unavailable');
    const after = await open((response) => {
      response.write('one\n');
      setTimeout(() => response.socket?.destroy(), 50);
    });
    await untilLines(after.lines, ['one']);
    expect((await after.ended())[0]).toBe('unavailable');
  });

  it('ends at a line that is too long, and has lines of any number', async () => {
    const long = await open((response) => response.end(Buffer.alloc(lineBytesMax + 1, 'x')));
    expect(await long.ended()).toEqual(['answerTooLarge', expect.any(String)]);
    const line = 'x'.repeat(1024 * 1024 - 1);
    const many = await open((response) => response.end(Buffer.from(`${line}\n`.repeat(20))));
    await expect.poll(() => many.lines.length, { interval: 5 }).toBe(20);
    expect(await many.ended()).toEqual(['unavailable', expect.stringContaining('ended the stream')]);
  });

  it('is silent once it is closed, also in the middle of a chunk', async () => {
    let isGone = false;
    const { stream, lines, failures } = await open((response) => {
      response.on('close', () => {
        isGone = true;
      });
      response.write('one\ntwo\n');
    });
    await untilLines(lines, ['one', 'two']);
    stream.close();
    await expect.poll(() => isGone, { interval: 5 }).toBe(true);
    expect(failures).toEqual([]);
  });
});
