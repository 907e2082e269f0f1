import { expect, test } from 'vitest';
import { type Behaviour, profiles } from '../platform/behaviour.ts';
import { Refusal } from '../platform/refusal.ts';
import { failure, success, wrongMethod } from './envelope.ts';
import type { Response } from './exchange.ts';
import { badRequest } from './input.ts';
import { UnknownSubject } from './known.ts';

const opened = ({ status, body }: Response) => ({ status, body: JSON.parse(new TextDecoder().decode(body)) });
const failed = (error: unknown, change: Partial<Behaviour> = {}) =>
  opened(failure(error, { ...profiles.likely, ...change }));

test('success has its data and the length of its bytes', () => {
  const answer = success({ name: '卫星' });
  expect(new TextDecoder().decode(answer.body)).toBe(
    '{"status":200,"message":"success","data":{"name":"卫星"},"fieldErrors":null}',
  );
  expect(answer.headers).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(answer.body.length),
  });
});

test('a refusal travels in HTTP 200, or under its own status, by the switch', () => {
  const taken = new Refusal('serviceNameTaken', 'worker');
  const body = { status: 31006, message: '服务名称已存在: worker', data: null, fieldErrors: null };
  expect(failed(taken)).toEqual({ status: 200, body });
  expect(failed(taken, { httpStatus: 'matching' })).toEqual({ status: 409, body });
});

test('data of a failure is null or a text, by the switch', () => {
  expect(failed(new Refusal('nodeOffline'), { failureData: 'text' }).body.data).toBe('节点离线');
});

test('field errors of a failure are null, a text or an object, by the switch', () => {
  const error = badRequest('name', 'is missing');
  expect(failed(error).body.fieldErrors).toBeNull();
  expect(failed(error, { failureFieldErrors: 'text' }).body.fieldErrors).toBe('name is missing');
  expect(failed(error, { failureFieldErrors: 'object' }).body.fieldErrors).toEqual({ name: 'is missing' });
  const fieldless = new Refusal('nodeOffline');
  expect(failed(fieldless, { failureFieldErrors: 'text' }).body.fieldErrors).toBe('节点离线');
  expect(failed(fieldless, { failureFieldErrors: 'object' }).body.fieldErrors).toEqual({});
});

test('an unknown subject is an error or a plain success, by the switch', () => {
  const unknown = new UnknownSubject('serviceNotFound', '7');
  expect(failed(unknown).body.status).toBe(31004);
  expect(failed(unknown, { unknownId: 'success' })).toEqual({
    status: 200,
    body: { status: 200, message: 'success', data: 'success', fieldErrors: null },
  });
  expect(failed(new Refusal('serviceNotFound', '7'), { unknownId: 'success' }).body.status).toBe(31004);
});

test('an unknown call is HTTP 404 with all switches', () => {
  expect(failed(new Refusal('noSuchCall'))).toEqual({
    status: 404,
    body: { status: 404, message: '接口不存在', data: null, fieldErrors: null },
  });
});

test('a wrong method is HTTP 405 and names the right ones', () => {
  const answer = wrongMethod(['GET', 'PUT']);
  expect(answer.headers['allow']).toBe('GET, PUT');
  expect(opened(answer)).toEqual({
    status: 405,
    body: { status: 405, message: '请求方法不支持', data: null, fieldErrors: null },
  });
});

test('any other error is HTTP 500, in an envelope', () => {
  expect(failed(new TypeError('oops'))).toEqual({
    status: 500,
    body: { status: 500, message: '服务器内部错误: oops', data: null, fieldErrors: null },
  });
  expect(failed('oops').status).toBe(500);
});
