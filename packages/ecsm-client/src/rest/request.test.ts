import { type ErrorCode, isApiError, shape } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { RestClient } from './client.ts';
import type { RestOptions } from './options.ts';
import type { RequestBuilder } from './request.ts';
import { rejection, ScriptedTransport, success } from './scripted-transport.kit.ts';

const any = shape.anything();

function setUp(options: Partial<RestOptions> = {}) {
  const transport = new ScriptedTransport(success('done'));
  return { transport, client: new RestClient({ transport, ...options }) };
}

async function sent(make: (client: RestClient) => RequestBuilder, options: Partial<RestOptions> = {}) {
  const { transport, client } = setUp(options);
  await make(client).do(any);
  const [request] = transport.requests;
  if (!request) throw new Error('nothing was sent');
  return { ...request, text: new TextDecoder().decode(request.body) };
}

describe('a request', () => {
  it('is built from segments, values, parameters and lists', async () => {
    const builder = setUp().client.post().resource('service').name('start', 'action').resource('ids');
    expect(builder.endpoint).toBe('POST /service/:action/ids');
    expect(await sent((client) => client.get().resource('service', 'record').name('a b/ü?#%'))).toMatchObject({
      method: 'GET',
      target: '/api/v1/service/record/a%20b%2F%C3%BC%3F%23%25',
      headers: { accept: 'application/json' },
    });
    const { target } = await sent((client) =>
      client
        .get()
        .resource('container', 'service')
        .param('pageNum', 1)
        .param('name', undefined)
        .param('ref', 'worker@1.0.0#sylixos')
        .param('instant', true)
        .list('serviceIds', ['a', 'b&c'])
        .list('none', []),
    );
    expect(target).toBe(
      '/api/v1/container/service?pageNum=1&ref=worker%401.0.0%23sylixos&instant=true&serviceIds%5B%5D=a&serviceIds%5B%5D=b%26c',
    );
    expect((await sent((client) => client.put(), { basePath: '/' })).target).toBe('/');
    expect((await sent((client) => client.delete().resource('x'), { basePath: '/a/b/' })).target).toBe('/a/b/x');
  });

  it('contains JSON serialized when it was set, or bytes', async () => {
    const json = { name: 'wörker' };
    const { transport, client } = setUp();
    const builder = client.post().resource('service').body(json);
    json.name = 'changed';
    await builder.do(any);
    const [request] = transport.requests;
    expect(new TextDecoder().decode(request?.body)).toBe('{"name":"wörker"}');
    expect(request?.headers['content-type']).toBe('application/json');
    const raw = await sent((client) => client.post().bytes(Uint8Array.of(1, 2)).header('Index', '1'));
    expect([...(raw.body ?? [])]).toEqual([1, 2]);
    expect(raw.headers).toMatchObject({ 'content-type': 'application/octet-stream', index: '1' });
    expect(await sent((client) => client.get())).not.toHaveProperty('body');
  });

  it('does not change the builder that it was created from', async () => {
    const { transport, client } = setUp();
    const common = client.get().resource('service');
    await common.name('a').param('x', 1).do(any);
    await common.do(any);
    expect(transport.requests.map(({ target }) => target)).toEqual(['/api/v1/service/a?x=1', '/api/v1/service']);
  });

  it('is rejected with a reason if invalid, and nothing is sent', async () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const cases: readonly [make: (client: RestClient) => RequestBuilder, words: string][] = [
      [(client) => client.get().resource('service').name('').name('x'), 'the id is empty'],
      [(client) => client.get().name('', 'record'), 'the record is empty'],
      [(client) => client.get().name('.'), 'the id cannot be "."'],
      [(client) => client.get().name('..'), 'the id cannot be ".."'],
      [(client) => client.get().name('\ud800'), 'not well-formed'],
      [(client) => client.get().resource(''), 'not a valid path segment'],
      [(client) => client.get().resource('a/b'), 'not a valid path segment'],
      [(client) => client.get().resource('..'), 'not a valid path segment'],
      [(client) => client.get().param('n', Number.NaN), 'the parameter n cannot be NaN'],
      [(client) => client.get().list('n', ['\udc00']), 'not well-formed'],
      [(client) => client.get().header('a b', 'x'), 'is not a valid header name'],
      [(client) => client.get().header('x', 'a\r\nb: c'), 'the header x has to be'],
      [(client) => client.get().header('x', '密'), 'the header x has to be'],
      [(client) => client.get().header('Content-Length', '0'), 'set by the transport'],
      [(client) => client.post().body(cyclic), 'cannot be written as JSON'],
      [(client) => client.post().body(undefined), 'cannot be written as JSON'],
      [(client) => client.get().timeout(0), 'timeoutMs'],
      [(client) => client.get().deadline(Number.POSITIVE_INFINITY), 'deadlineMs'],
      [
        (client) =>
          client.get().list(
            'ids',
            Array.from({ length: 1_000 }, () => 'abc'),
          ),
        'over 8000',
      ],
    ];
    for (const [make, words] of cases) {
      const { transport, client } = setUp();
      const error = await rejection(make(client).do(any));
      expect(isApiError(error, 'BadRequest') && error.message).toContain(words);
      expect(transport.requests).toEqual([]);
    }
  });

  it('may be as long as the limit, but not longer', async () => {
    const make = (client: RestClient) => client.get().resource('abc');
    expect((await sent(make, { targetBytesMax: 11 })).target).toBe('/api/v1/abc');
    const { client } = setUp({ targetBytesMax: 10 });
    expect(isApiError(await rejection(make(client).do(any)), 'BadRequest')).toBe(true);
  });

  it('can return the raw response', async () => {
    const { client } = setUp();
    const raw = await client.get().resource('service').doRaw();
    expect([raw.status, JSON.parse(new TextDecoder().decode(raw.body)).data]).toEqual([200, 'done']);
  });
});

describe('the options of a client', () => {
  const refused: readonly [Partial<RestOptions>, name: string][] = [
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
    [{ deadlineMs: -1 }, 'deadlineMs'],
    [{ attemptsMax: 0 }, 'attemptsMax'],
    [{ attemptsMax: 1.5 }, 'attemptsMax'],
    [{ responseBytesMax: Number.POSITIVE_INFINITY }, 'responseBytesMax'],
    [{ targetBytesMax: Number.NaN }, 'targetBytesMax'],
    [{ basePath: 'api' }, 'basePath'],
    [{ basePath: '/api?x' }, 'basePath'],
    [{ basePath: '/a b' }, 'basePath'],
  ];

  it.each(refused)('reject %j by name', (options, name) => {
    const code: ErrorCode = 'BadRequest';
    let error: unknown;
    try {
      setUp(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(isApiError(error, code) && error.message).toContain(`${name} has to be`);
  });
});
