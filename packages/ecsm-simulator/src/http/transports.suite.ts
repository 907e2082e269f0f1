/**
 * What every way to the platform has in common. The same tests run over a function call and over a real socket with the
 * real client's transport: whatever the link does to a call, the caller must not be able to tell them apart.
 */
import { isApiError, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Request, Response } from '../api/exchange.ts';
import { Link } from '../link/link.ts';
import type { LinkContext, ObservedCall } from '../link/simulated-call.ts';
import type { InProcessTransport, WireRequest, WireResponse } from '../link/transport.ts';

interface OpenWay {
  readonly transport: InProcessTransport;
  close(): Promise<void>;
}

const bodyBytes = 4_000;
const post: WireRequest = {
  method: 'POST',
  target: '/api/v1/service',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"name":"telemetry"}'),
};
const text = ({ body }: WireResponse) => Buffer.from(body).toString('utf8');

export function transportSuite(name: string, open: (context: LinkContext) => Promise<OpenWay>): void {
  describe(name, () => {
    let way: OpenWay;
    let link: Link;
    let seen: (Request & { readonly atMs: number })[];
    let calls: ObservedCall[];

    const handler = (request: Request): Response => {
      seen.push({ ...request, atMs: systemClock.now() });
      const body = Buffer.from(`${request.method} ${seen.length} `.padEnd(bodyBytes, '.'));
      return { status: 200, headers: { 'content-type': 'text/plain', 'x-answer': 'yes' }, body };
    };

    beforeEach(async () => {
      seen = [];
      calls = [];
      link = new Link({ random: new SeededRandom(1) });
      way = await open({ handler, link, clock: systemClock, observe: (call) => calls.push(call) });
    });
    afterEach(() => way.close());

    const meter = () => ({ bytesUp: 0, bytesDown: 0 });
    const send = (request: WireRequest = post, signal: AbortSignal = AbortSignal.timeout(20_000)) =>
      way.transport.send(request, { signal, responseBytesMax: 1_000_000, meter: meter() });

    /** Sends, aborts after a while and no sooner than the condition holds, and returns the reason of the rejection. */
    const giveUp = async (afterMs: number, request = post, isReached = () => true): Promise<unknown> => {
      const controller = new AbortController();
      const sent = send(request, controller.signal).then(
        () => 'answered',
        (error: unknown) => error,
      );
      await pause(afterMs);
      await expect.poll(isReached).toBe(true);
      controller.abort('enough');
      return sent;
    };
    /** What is not seen by then never will be. */
    const fates = async () => {
      await pause(50);
      return calls.map(({ fate }) => fate);
    };

    it('transfers request and response unchanged', async () => {
      const answer = await send();
      expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain', 'x-answer': 'yes' } });
      expect(text(answer)).toBe('POST 1 '.padEnd(bodyBytes, '.'));
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({ method: 'POST', target: '/api/v1/service' });
      expect(seen[0]?.headers['content-type']).toBe('application/json');
      expect(Buffer.from(seen[0]?.body ?? []).toString()).toBe('{"name":"telemetry"}');
    });

    it('handles concurrent calls', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, number) =>
          send({ method: 'GET', target: `/api/v1/node/${number}`, headers: {} }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
      expect(new Set(seen.map(({ target }) => target)).size).toBe(40);
    });

    it('a lost request is not executed, and its caller waits until it aborts', async () => {
      link.set({ requestsToLose: 1 });
      expect(await giveUp(60)).toBe('enough');
      expect(seen).toEqual([]);
      expect(await fates()).toEqual(['request lost']);
    });

    it('a call whose response is lost is executed', async () => {
      link.set({ answersToLose: 1 });
      expect(await giveUp(60, post, () => seen.length > 0)).toBe('enough');
      expect(seen).toHaveLength(1);
      await expect.poll(fates).toEqual(['answer lost']);
    });

    it('the call after a lost one succeeds', async () => {
      link.set({ requestsToLose: 1 });
      await giveUp(40);
      expect(text(await send())).toMatch(/^POST 1 /);
    });

    it('a truncated response is BadAnswer, and the call is executed', async () => {
      link.set({ truncatePercent: 100 });
      for (let number = 1; number <= 5; number++) {
        const error: unknown = await send().catch((thrown: unknown) => thrown);
        expect(isApiError(error, 'BadAnswer')).toBe(true);
        expect(seen).toHaveLength(number);
      }
      link.heal();
      expect((await send()).status).toBe(200);
    });

    it('a slow link delays both directions', async () => {
      link.set({ bytesPerSecond: 20_000 });
      const startedMs = systemClock.now();
      const counted = meter();
      const answer = await way.transport.send(
        { ...post, body: Buffer.alloc(2_000, '.') },
        { signal: AbortSignal.timeout(20_000), responseBytesMax: 1_000_000, meter: counted },
      );
      expect(answer.body.byteLength).toBe(bodyBytes);
      const endedMs = systemClock.now();
      const arrivedMs = seen[0]?.atMs ?? 0;
      expect(arrivedMs - startedMs).toBeGreaterThanOrEqual(95);
      expect(endedMs - arrivedMs).toBeGreaterThanOrEqual(190);
      expect(counted.bytesUp).toBeGreaterThan(2_000);
      expect(counted.bytesDown).toBeGreaterThan(bodyBytes);
    });

    it('a caller that aborts during a slow response has received a part of it', async () => {
      link.set({ bytesPerSecond: 3_000 });
      const counted = meter();
      const controller = new AbortController();
      const sent = way.transport
        .send(
          { method: 'GET', target: '/api/v1/service', headers: {} },
          { signal: controller.signal, responseBytesMax: 1_000_000, meter: counted },
        )
        .catch((error: unknown) => error);
      await pause(330);
      controller.abort('enough');
      expect(await sent).toBe('enough');
      expect(counted.bytesDown).toBeGreaterThan(100);
      expect(counted.bytesDown).toBeLessThan(bodyBytes);
    });

    it('a proxy responds with an HTML page, and the call is not executed', async () => {
      link.set({ errorsLeft: 2, errorStatus: 502 });
      for (const _ of [1, 2]) {
        const page = await send();
        expect(page.status).toBe(502);
        expect(page.headers['content-type']).toBe('text/html');
        expect(text(page)).toContain('502 Bad Gateway');
      }
      expect(seen).toEqual([]);
      expect((await send()).status).toBe(200);
      expect(await fates()).toEqual(['error page', 'error page', 'answered']);
    });

    it('a frozen platform executes pending calls when it is unfrozen', async () => {
      link.set({ frozen: true });
      const answers = [send(), send({ method: 'DELETE', target: '/api/v1/node', headers: {} })];
      await pause(60);
      expect(seen).toEqual([]);
      expect(link.held).toBe(2);
      link.set({ frozen: false });
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      expect(seen).toHaveLength(2);
    });

    it('latency is split between request and response', async () => {
      link.set({ latencyMs: 200 });
      const startedMs = systemClock.now();
      await send();
      const endedMs = systemClock.now();
      const arrivedMs = seen[0]?.atMs ?? 0;
      // Timers and the clock may differ by a millisecond or two.
      expect(arrivedMs - startedMs).toBeGreaterThanOrEqual(97);
      expect(endedMs - arrivedMs).toBeGreaterThanOrEqual(97);
    });

    it('a request that was sent is executed even if the caller aborts', async () => {
      link.set({ latencyMs: 1_000 });
      expect(await giveUp(50)).toBe('enough');
      expect(seen).toEqual([]);
      await expect.poll(() => seen.length).toBe(1);
      expect(await fates()).toEqual(['caller gone']);
    });

    it('a response over the limit is rejected', async () => {
      const error: unknown = await way.transport
        .send(post, { signal: AbortSignal.timeout(20_000), responseBytesMax: bodyBytes - 1, meter: meter() })
        .catch((thrown: unknown) => thrown);
      expect(isApiError(error, 'TooLarge')).toBe(true);
      const fits = await way.transport.send(post, {
        signal: AbortSignal.timeout(20_000),
        responseBytesMax: bodyBytes,
        meter: meter(),
      });
      expect(fits.body.byteLength).toBe(bodyBytes);
    });

    it('sends nothing for a caller that has already aborted', async () => {
      const error: unknown = await send(post, AbortSignal.abort('too late')).catch((thrown: unknown) => thrown);
      expect(error).toBe('too late');
      expect(await fates()).toEqual([]);
    });

    it('counts the bytes of heads and bodies', async () => {
      const counted = meter();
      const options = { signal: AbortSignal.timeout(20_000), responseBytesMax: 1_000_000, meter: counted };
      await way.transport.send(post, options);
      const [call] = calls;
      // What the journal says and what the caller measured are the same.
      expect(call).toMatchObject(counted);
      expect(counted.bytesUp).toBeGreaterThan(100);
      expect(counted.bytesDown).toBeGreaterThan(bodyBytes + 80);
    });
  });
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
