import { type ApiError, isApiError, shape } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { readResponse } from './envelope.ts';
import { type CallSubject, PlatformResponse, platformResponse, reasonCharactersMax } from './errors.ts';
import { refusal, response, success } from './scripted-transport.kit.ts';
import type { WireResponse } from './transport.ts';

const about: CallSubject = { endpoint: 'GET /service/:id', kind: 'service', name: 'worker' };
const service = shape.object({ list: shape.list(shape.object({ id: shape.string(), status: shape.string() })) });

function failure(given: WireResponse, wanted: shape.Shape<unknown> = shape.anything(), of = about): ApiError {
  try {
    readResponse(given, of, wanted);
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const bytes = (...values: number[]): WireResponse => ({ status: 200, headers: {}, body: Uint8Array.from(values) });

describe('an envelope', () => {
  it('returns its data, independent of the other fields', () => {
    const data = { list: [{ id: 'a', status: 'complete', extra: 1 }] };
    for (const envelope of [
      { status: 200, message: 'success', data, fieldErrors: null },
      { data, fieldErrors: '', status: 200 },
      { fieldErrors: {}, data, message: 7, status: '200', more: true },
    ]) {
      expect(readResponse(response(envelope), about, service)).toEqual(data);
    }
    expect(readResponse(response(`\ufeff${JSON.stringify({ status: 200, data })}`), about, service)).toEqual(data);
    expect(readResponse(response({ status: 200, data }, 202), about, service)).toEqual(data);
  });

  it('has null without data', () => {
    expect(readResponse(response({ status: 200 }), about, shape.nullable(service))).toBeNull();
    expect(readResponse(success(null), about, shape.anything())).toBeNull();
  });

  it('with data of another shape is an error that names the endpoint and field', () => {
    const wrong = success({
      list: [
        { id: 'a', status: 'x' },
        { id: 'b', status: 5 },
      ],
    });
    const error = failure(wrong, service);
    expect(error.code).toBe('BadAnswer');
    expect(error.message).toBe(
      'unexpected response from GET /service/:id: data.list[1].status should be a string, but is 5',
    );
    const error2 = failure(success({ vsoaPassword: 123_456 }), shape.object({ vsoaPassword: shape.string() }));
    expect(error2.message).toContain('data.vsoaPassword should be a string');
    expect(error2.message).not.toContain('123');
  });

  it('ignores fields of __proto__', () => {
    expect(failure(response('{"__proto__":{"status":200,"data":{"list":[]}}}')).code).toBe('BadAnswer');
    expect(failure(response('{"status":200,"__proto__":{"data":{"list":[]}}}'), service).message).toContain(
      'data should',
    );
  });
});

describe('a body without an envelope', () => {
  const cases: readonly [what: string, given: WireResponse, words: string][] = [
    ['empty', response(''), 'the body is empty'],
    ['blank', response(' \r\n'), 'the body is empty'],
    [
      'HTML',
      response('<!DOCTYPE html><title>Login</title>'),
      'the body is HTML, perhaps from a proxy: "<!DOCTYPE html>',
    ],
    ['HTML without a doctype', response('\n <html><h1>It works'), 'HTML, perhaps from a proxy'],
    ['cut short', response('{"status":200,"data":{"li'), 'JSON that is damaged or cut short: "{\\"status\\":200'],
    ['plain text', response('upstream gone'), 'the body is not JSON: "upstream gone"'],
    ['not UTF-8', bytes(0x7b, 0xff, 0xfe, 0x7d), 'the body is not UTF-8'],
    ['UTF-16', bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00), 'the body is not UTF-8'],
    ['a list', response([1, 2]), 'the body is JSON, but not an envelope with a status: "[1,2]"'],
    ['null', response('null'), 'not an envelope'],
    ['without a status', response({ data: 1 }), 'not an envelope'],
    ['with a status that is a word', response({ status: 'ok', data: 1 }), 'not an envelope'],
    ['with a status that is null', response({ status: null }), 'not an envelope'],
    ['with a status beyond numbers', response('{"status":1e999}'), 'not an envelope'],
    ['with half a status', response({ status: 200.5 }), 'not an envelope'],
    ['compressed', response('x', 200, { 'content-encoding': 'gzip' }), 'the body is compressed ("gzip")'],
    [
      'a redirection',
      response('', 302, { location: '/login?token=hunter2' }),
      'HTTP 302, a redirection to "/login?token=',
    ],
    ['a redirected envelope', response({ status: 200, data: 1 }, 307), 'HTTP 307'],
  ];

  it.each(cases)('(%s) is a BadAnswer that describes the body', (_, given, words) => {
    const error = failure(given);
    expect(error.code).toBe('BadAnswer');
    expect(error.message).toContain('GET /service/:id');
    expect(error.message).toContain(words);
    expect(error.message.length).toBeLessThan(reasonCharactersMax + 100);
  });

  it('has no secrets in its excerpt, and only a short part of a large body', () => {
    const secret = 'hunter2';
    for (const text of [
      JSON.stringify({ list: [{ password: secret }] }),
      `{"status":200,"data":{"password":"${secret}`,
      `password=${secret}`,
      JSON.stringify({ env: [`DB_PASSWORD=${secret}`], pad: 'x'.repeat(100_000) }),
    ]) {
      const { message } = failure(response(text));
      expect(message).toContain('<hidden>');
      expect(message).not.toContain(secret);
    }
    expect(failure(response('x'.repeat(1_000_000))).message.length).toBeLessThan(400);
    expect(failure(response('', 302, { location: `/?token=${secret}` })).message).not.toContain(secret);
  });
});

describe('an error response', () => {
  const html = '<html>Bad Gateway</html>';
  const cases: readonly [what: string, given: WireResponse, code: string, message: string][] = [
    ['31006', refusal(31006, '服务名称已存在'), 'AlreadyExists', 'service "worker" already exists'],
    ['31006 in HTTP 409', response({ status: 31006 }, 409), 'AlreadyExists', 'service "worker" already exists'],
    ['an unknown code', refusal(31099, '失败'), 'Rejected', 'GET /service/:id was rejected: 失败 (code 31099)'],
    ['an unknown code in HTTP 503', response({ status: 31099 }, 503), 'Rejected', 'no reason given (code 31099)'],
    ['a code near success', refusal(201, 'created'), 'Rejected', 'created (code 201)'],
    ['a code below zero', refusal(-1, 'no'), 'Rejected', 'no (code -1)'],
    ['code 400', refusal(400, 'bad'), 'Rejected', 'bad (code 400)'],
    ['code 401', refusal(401, 'who?'), 'Forbidden', 'GET /service/:id: who? (code 401)'],
    ['code 403', refusal(403, 'no'), 'Forbidden', 'no (code 403)'],
    ['code 404', refusal(404, 'gone'), 'NotFound', 'service "worker" not found'],
    ['code 408', refusal(408, 'slow'), 'Unavailable', 'slow (code 408)'],
    ['code 409', refusal(409, 'busy'), 'Conflict', 'service "worker": busy (code 409)'],
    ['code 413', refusal(413, 'big'), 'Rejected', 'big (code 413)'],
    ['code 429', refusal(429, 'wait'), 'Unavailable', 'wait (code 429)'],
    ['code 500', refusal(500, 'oops'), 'Unavailable', 'GET /service/:id is unavailable: oops (code 500)'],
    ['code 404 in HTTP 500', response({ status: 404 }, 500), 'NotFound', 'service "worker" not found'],
    ['success in HTTP 503', response({ status: 200, message: 'ok' }, 503), 'Unavailable', 'HTTP 503, ok'],
    ['HTTP 502 as HTML', response(html, 502), 'Unavailable', 'HTML, perhaps from a proxy: "<html>Bad Gateway'],
    ['HTTP 504, empty', response('', 504), 'Unavailable', 'the body is empty (HTTP 504)'],
    ['HTTP 599', response('', 599), 'Unavailable', 'HTTP 599'],
    ['HTTP 401 as HTML', response(html, 401), 'Forbidden', 'HTTP 401'],
    ['HTTP 413, empty', response('', 413), 'Rejected', 'HTTP 413'],
    ['HTTP 418', response('', 418), 'Rejected', 'HTTP 418'],
  ];

  it.each(cases)('(%s) is mapped to an ApiError', (_, given, code, message) => {
    const error = failure(given);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
    expect(platformResponse(error)).toBeInstanceOf(PlatformResponse);
  });

  it('names the endpoint if the call has no object', () => {
    const nothing = { ...about, kind: undefined, name: undefined };
    expect(failure(refusal(404, 'x'), undefined, nothing).message).toBe('path "GET /service/:id" not found');
    expect(failure(refusal(31006, 'x'), undefined, nothing).message).toBe('object "GET /service/:id" already exists');
  });

  it('of a proxy or an unknown path is not NotFound of the object', () => {
    expect(failure(response('<html>Cannot GET /api/v2', 404)).details).toEqual({
      kind: 'path',
      name: 'GET /service/:id',
    });
  });

  it('contains the field errors, without secrets and of bounded length', () => {
    const fields = { name: ['taken'], password: 'hunter2 is too short' };
    const error = failure(refusal(30001, 'invalid', fields));
    expect(error.message).toContain('invalid (code 30001); fields: {"name":["taken"],"password":"<hidden>"}');
    expect(failure(refusal(30001, 'invalid', 'name: taken')).message).toContain('; fields: name: taken');
    expect(failure(refusal(30001, 'invalid', '')).message).toMatch(/\(code 30001\)$/);
    const long = failure(refusal(30001, `password=hunter2 ${'x'.repeat(100_000)}`, { a: 'y'.repeat(100_000) }));
    expect(long.message.length).toBeLessThan(reasonCharactersMax + 50);
    expect(long.message).not.toContain('hunter2');
    expect(long.message).toContain('fields: {"a":"yyy');
    expect(platformResponse(long)?.message.length).toBeLessThanOrEqual(reasonCharactersMax);
  });

  it('has the response of the platform as its cause', () => {
    const error = failure(response({ status: 31099, message: 'no', fieldErrors: { a: 1 } }, 409));
    const said = platformResponse(new Error('around', { cause: error }));
    expect([said?.httpStatus, said?.code, said?.message, said?.fieldErrors]).toEqual([409, 31099, 'no', { a: 1 }]);
    expect(platformResponse(new Error('other'))).toBeUndefined();
    expect(platformResponse('text')).toBeUndefined();
    const endless = new Error('endless');
    endless.cause = endless;
    expect(platformResponse(endless)).toBeUndefined();
  });

  it('has a retry-after in seconds for 429 and 503 only', () => {
    const asked = (status: number, text: string) =>
      platformResponse(failure(response('', status, { 'retry-after': text })))?.retryAfterMs;
    expect(asked(429, '3')).toBe(3_000);
    expect(asked(503, ' 2 ')).toBe(2_000);
    expect(asked(503, '999999999')).toBe(3_600_000);
    expect(asked(500, '3')).toBeUndefined();
    expect(asked(503, 'Wed, 21 Oct 2026 07:28:00 GMT')).toBeUndefined();
    expect(asked(503, '-1')).toBeUndefined();
  });
});
