/** Requests with protobuf over a real connection, as kubectl and client-go send them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sentByClientGo, sentByKubectl } from '../protobuf/fixtures.kit.ts';
import { type Reply, type RunningServer, startServer } from './server.kit.ts';

let running: RunningServer;
beforeEach(async () => {
  running = await startServer();
});
afterEach(() => running.close());

const send = (method: string, path: string, hex: string): Promise<Reply> =>
  running.call(method, path, Buffer.from(hex, 'hex'), {
    'Content-Type': 'application/vnd.kubernetes.protobuf',
    Accept: 'application/vnd.kubernetes.protobuf,application/json',
  });
const configMaps = '/api/v1/namespaces/x/configmaps';

describe('a request with protobuf', () => {
  it('creates objects, and is answered with JSON', async () => {
    await running.call('POST', '/api/v1/namespaces', { metadata: { name: 'x' } });
    const hex = sentByKubectl['create configmap settings --from-literal=a=1 --from-file=b=bin.dat -n x'];
    const created = await send('POST', configMaps, hex);
    expect(created).toMatchObject({ code: 201, body: { data: { a: '1' }, binaryData: { b: '/wAB' } } });
    expect(created.headers['content-type']).toBe('application/json');
    expect((await running.call('GET', `${configMaps}/settings`)).body).toEqual(created.body);
  });

  it.each([
    ['namespaces', '/api/v1/namespaces', 'create namespace plant-a'],
    [
      'priority classes',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      'create priorityclass zero --value=0 --preemption-policy=Never',
    ],
  ] as const)('creates %s', async (_, path, command) => {
    expect((await send('POST', path, sentByKubectl[command])).code).toBe(201);
  });

  it('deletes with the preconditions of its options', async () => {
    await running.call('POST', '/api/v1/namespaces', { metadata: { name: 'x' } });
    await running.call('POST', configMaps, { metadata: { name: 'settings' } });
    const refused = await send('DELETE', `${configMaps}/settings`, sentByClientGo['delete of a ConfigMap']);
    expect(refused).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect((await send('DELETE', `${configMaps}/settings`, sentByClientGo['delete of a Deployment'])).code).toBe(200);
    expect((await running.call('GET', `${configMaps}/settings`)).code).toBe(404);
  });

  it('asks for a review', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = await send('POST', path, sentByKubectl['auth can-i get secrets/x -n a']);
    expect(answer).toMatchObject({ code: 201, body: { status: { allowed: true } } });
  });

  it('is answered with 415 if the object has no known message, and with 400 if it is damaged', async () => {
    const hex = sentByKubectl['create serviceaccount robot -n x'];
    expect((await send('POST', '/api/v1/namespaces', hex)).code).toBe(415);
    expect((await send('POST', '/api/v1/namespaces', hex.slice(0, 30))).code).toBe(400);
  });
});
