import type { EventBatch, VersionBatch } from '@ecsm/runtime';
import { fasterClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { failure } from '../config/config.kit.ts';
import { answer, cleanUp, statusBody } from '../rest/server.kit.ts';
import { bookmark, partial, scriptedRegistry, startWatch, widget } from './widget.kit.ts';

afterEach(cleanUp);

const added = (name: string, version: number) => ({ type: 'ADDED', object: widget(name, version) });
const expired = statusBody(410, 'Expired', 'too old resource version: 2 (200)');

function describeBatch({ resourceVersion, events }: EventBatch<unknown, unknown>): string {
  const shown = events.map((event) =>
    event.type === 'Problem' ? 'Problem' : `${event.type} ${event.object.metadata.name}`,
  );
  return [resourceVersion, ...shown].join(' ');
}

async function take(batches: AsyncIterable<EventBatch<unknown, unknown>>, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const batch of batches) if (seen.push(describeBatch(batch)) === count) break;
  return seen;
}

describe('a watch', () => {
  it('delivers one batch per event, and an empty one per bookmark', async () => {
    const { widgets, received } = await scriptedRegistry((_, response) =>
      startWatch(response, added('a', 11), { type: 'MODIFIED', object: widget('a', 12) }, bookmark(15), {
        type: 'DELETED',
        object: widget('a', 16),
      }),
    );
    const options = {
      resourceVersion: '10',
      namespace: 'default',
      labelSelector: 'app in (x,y)',
      fieldSelector: 'metadata.name=a',
    };
    expect(await take(widgets.watch(options), 4)).toEqual(['11 Added a', '12 Modified a', '15', '16 Deleted a']);
    expect(received[0]).toMatchObject({
      path: '/apis/example.io/v1/namespaces/default/widgets',
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: '10',
        labelSelector: 'app in (x,y)',
        fieldSelector: 'metadata.name=a',
        timeoutSeconds: expect.stringMatching(/^(2[4-9]\d|3[0-6]\d)$/),
      },
    });
    expect(received[0]?.headers['accept-encoding']).toBeUndefined();
  });

  it('of versions asks for metadata alone', async () => {
    const { widgets, received } = await scriptedRegistry((_, response) =>
      startWatch(
        response,
        { type: 'ADDED', object: partial('a', 11) },
        { type: 'BOOKMARK', object: { ...partial('', 0), metadata: { resourceVersion: '12' } } },
        { type: 'DELETED', object: partial('a', 13) },
      ),
    );
    const seen: VersionBatch[] = [];
    for await (const batch of widgets.watchVersions({ resourceVersion: '10' })) if (seen.push(batch) === 3) break;
    const key = 'example.io/v1/widgets/default/a';
    expect(seen).toEqual([
      { resourceVersion: '11', changes: [{ type: 'put', key, identity: 'uid-of-a' }] },
      { resourceVersion: '12', changes: [] },
      { resourceVersion: '13', changes: [{ type: 'delete', key }] },
    ]);
    expect(received[0]?.headers.accept).toContain('as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
    expect(received[0]?.path).toBe('/apis/example.io/v1/widgets');
  });

  it('continues after lost connections from the last version, and misses and repeats nothing', async () => {
    const { widgets, received } = await scriptedRegistry(({ query }, response, count) => {
      switch (count) {
        case 1: // Cut in the middle of an event.
          startWatch(response, added('a', 11));
          response.write(JSON.stringify(added('b', 12)).slice(0, 40), () => response.socket?.destroy());
          return;
        case 2: // Ended by the server, after a bookmark.
          startWatch(response, added('b', 12), bookmark(20));
          response.end();
          return;
        case 3: // Not available for a moment.
          answer(response, 503, statusBody(503, 'ServiceUnavailable', 'apiserver is shutting down'));
          return;
        case 4: // Closed before a response.
          response.socket?.destroy();
          return;
        case 5: // An internal error within the stream.
          startWatch(response, { type: 'ERROR', object: statusBody(500, 'InternalError', 'etcd is gone') });
          response.end();
          return;
        case 6: // Not JSON, as from a proxy.
          startWatch(response);
          response.end('<html>\n');
          return;
        default:
          startWatch(response, added('c', Number(query['resourceVersion']) + 1));
      }
    });
    expect(await take(widgets.watch({ resourceVersion: '10' }), 4)).toEqual([
      '11 Added a',
      '12 Added b',
      '20',
      '21 Added c',
    ]);
    expect(received.map(({ query }) => query['resourceVersion'])).toEqual(['10', '11', '20', '20', '20', '20', '20']);
  });

  it('waits as long as a busy server says', async () => {
    const { widgets, received } = await scriptedRegistry((_, response, count) => {
      if (count > 1) return startWatch(response, added('a', 11));
      answer(response, 429, statusBody(429, 'TooManyRequests', 'busy'), { 'retry-after': '2' });
    });
    expect(await take(widgets.watch({ resourceVersion: '10' }), 1)).toEqual(['11 Added a']);
    expect(received).toHaveLength(2);
  });

  it('puts characters together that arrive in pieces', async () => {
    const event = { type: 'ADDED', object: widget('a', 11, { colour: '赤い', size: 1 }) };
    const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
    const { widgets } = await scriptedRegistry((_, response) => {
      startWatch(response);
      const writeFrom = (at: number) => {
        if (at < bytes.length) response.write(bytes.subarray(at, at + 7), () => writeFrom(at + 7));
      };
      writeFrom(0);
    });
    for await (const { events } of widgets.watch({ resourceVersion: '10' })) {
      expect(events).toMatchObject([{ type: 'Added', object: { spec: { colour: '赤い' } } }]);
      break;
    }
  });

  it.each([
    ['in the stream', 200],
    ['as the response', 410],
  ])('is Expired if the server says so %s', async (_, status) => {
    const { widgets, received } = await scriptedRegistry((_received, response) => {
      if (status !== 200) return answer(response, status, expired);
      startWatch(response, { type: 'ERROR', object: expired });
      response.end();
    });
    expect(await failure(take(widgets.watch({ resourceVersion: '2' }), 1))).toEqual({
      code: 'Expired',
      message: 'too old resource version: 2 (200)',
    });
    expect(received).toHaveLength(1);
  });

  it.each([
    ['is forbidden', 403, statusBody(403, 'Forbidden', 'no'), 'Forbidden'],
    ['has an unknown selector', 400, statusBody(400, 'BadRequest', 'field label not supported: x'), 'BadRequest'],
    ['is of a kind that is not served', 404, '404 page not found\n', 'Rejected'],
  ])('that %s is not repeated', async (_, status, body, code) => {
    const { widgets, received } = await scriptedRegistry((_received, response) => answer(response, status, body));
    expect((await failure(take(widgets.watch({ resourceVersion: '2' }), 1))).code).toBe(code);
    expect(received).toHaveLength(1);
  });

  it('refuses what is not a version, and an event that is too long', async () => {
    const long = { type: 'ADDED', object: widget('a', 11, { size: 1, colour: 'x'.repeat(100_000) }) };
    const { widgets, received } = await scriptedRegistry((_, response) => startWatch(response, long), {
      eventBytesMax: 50_000,
    });
    expect((await failure(take(widgets.watch({ resourceVersion: 'soon' }), 1))).code).toBe('BadRequest');
    expect(received).toHaveLength(0);
    expect((await failure(take(widgets.watch({ resourceVersion: '2' }), 1))).code).toBe('TooLarge');
  });

  it('reports an object that cannot be read, and goes on', async () => {
    const { widgets } = await scriptedRegistry((_, response) =>
      startWatch(response, { type: 'ADDED', object: { ...widget('x', 11), kind: 'Gadget' } }, added('a', 12)),
    );
    expect(await take(widgets.watch({ resourceVersion: '10' }), 2)).toEqual(['11 Problem', '12 Added a']);
  });

  it('closes its connection when its consumer stops', async () => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { widgets } = await scriptedRegistry((_, response) => {
      response.on('close', closed);
      startWatch(response, added('a', 11));
    });
    await take(widgets.watch({ resourceVersion: '10' }), 1);
    await isClosed;
  });

  it('ends without an error when its signal aborts: connecting, connected, or waiting to reconnect', async () => {
    for (const state of ['silent', 'connected', 'refused']) {
      let reached = () => {};
      const isReached = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const { widgets } = await scriptedRegistry((_, response) => {
        if (state === 'connected') startWatch(response, bookmark(11));
        if (state === 'refused') response.socket?.destroy();
        reached();
      });
      const stop = new AbortController();
      const ended = take(widgets.watch({ resourceVersion: '10', signal: stop.signal }), 9);
      await isReached;
      stop.abort('enough');
      expect((await ended).length).toBeLessThan(2);
    }
  });

  it('reconnects after a connection that is silent for longer than a watch lasts', async () => {
    const { widgets, received } = await scriptedRegistry(
      (_, response, count) => startWatch(response, ...(count === 1 ? [] : [added('a', 11)])),
      { clock: fasterClock(100) },
    );
    expect(await take(widgets.watch({ resourceVersion: '10' }), 1)).toEqual(['11 Added a']);
    expect(received.length).toBeGreaterThan(1);
  });

  it('fails after a minute without a connection, so that the outage becomes visible', async () => {
    const { widgets } = await scriptedRegistry((_, response) => response.socket?.destroy(), {
      clock: fasterClock(1_000),
      timeoutMs: 30_000,
    });
    expect((await failure(take(widgets.watch({ resourceVersion: '10' }), 1))).code).toMatch(/Unavailable|Timeout/);
  });
});
