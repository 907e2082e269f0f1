/** Details of Kubernetes' API that clients depend on and that are easy to get wrong, over a real connection. */
import { Event, Lease } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, served, startServer } from './server.kit.ts';

const gadgets = '/apis/example.io/v1/namespaces/default/gadgets';
const core = (plural: string, namespace = 'default') => `/api/v1/namespaces/${namespace}/${plural}`;
const gadget = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'example.io/v1',
  kind: 'Gadget',
  metadata: { name, ...metadata },
  spec,
});

let running: RunningServer;
beforeEach(async () => {
  running = await startServer({ kinds: [...served, Event, Lease] });
});
afterEach(() => running.close());

const call: RunningServer['call'] = (...request) => running.call(...request);
const applyAs = (manager: string, object: ReturnType<typeof gadget>, path = '', query = '') =>
  call('PATCH', `${gadgets}/${object.metadata.name}${path}?fieldManager=${manager}${query}`, JSON.stringify(object), {
    'Content-Type': 'application/apply-patch+yaml',
  });

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}
const managersOf = (body: { metadata: { managedFields?: readonly Entry[] } }) =>
  (body.metadata.managedFields ?? []).map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
  );

describe('a strategic merge patch', () => {
  const type = { 'Content-Type': 'application/strategic-merge-patch+json' };

  it('changes kinds of Kubernetes: ConfigMap, Secret, Event, PriorityClass', async () => {
    const involvedObject = { kind: 'Gadget', name: 'a' };
    const bodies: readonly (readonly [string, object, object, object])[] = [
      [core('configmaps'), { data: { a: '1', b: '2' } }, { data: { a: null, c: '3' } }, { data: { b: '2', c: '3' } }],
      [core('secrets'), { data: { a: 'YQ==' } }, { stringData: { b: 'b' } }, { data: { a: 'YQ==', b: 'Yg==' } }],
      [core('events'), { involvedObject, reason: 'A', count: 1 }, { count: 2 }, { reason: 'A', count: 2 }],
      [
        '/apis/scheduling.k8s.io/v1/priorityclasses',
        { value: 5 },
        { description: 'x' },
        { value: 5, description: 'x' },
      ],
    ];
    for (const [path, object, patch, expected] of bodies) {
      expect((await call('POST', path, { metadata: { name: 'x' }, ...object })).code, path).toBe(201);
      const { code, body } = await call('PATCH', `${path}/x`, patch, type);
      expect({ code, body }, path).toMatchObject({ code: 200, body: expected });
    }
    expect((await call('GET', `${core('configmaps')}/x`)).body.data).toEqual({ b: '2', c: '3' });
  });

  it('merges finalizers and owners by entry, and deletes by directive', async () => {
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}` });
    const metadata = { name: 'x', finalizers: ['example.io/a'], ownerReferences: [owner('a')] };
    await call('POST', core('configmaps'), { metadata });
    const patch = {
      metadata: {
        finalizers: ['example.io/b'],
        ownerReferences: [owner('b'), { $patch: 'delete', uid: 'uid-a' }],
      },
    };
    const { body } = await call('PATCH', `${core('configmaps')}/x`, patch, type);
    // Entries that only the patch has come first, as in Kubernetes.
    expect(body.metadata.finalizers).toEqual(['example.io/b', 'example.io/a']);
    expect(body.metadata.ownerReferences).toEqual([owner('b')]);
  });
});

describe('a server-side apply', () => {
  const port = (name: string, number: number) => ({ name, port: number });

  it('owns the entries of a keyed list one by one, and removes only its own', async () => {
    await applyAs('one', gadget('a', { ports: [port('http', 80)] }));
    const both = await applyAs('two', gadget('a', { ports: [port('admin', 81)] }));
    expect(both.body.spec.ports).toEqual([port('http', 80), port('admin', 81)]);
    const { body } = await applyAs('one', gadget('a', {}));
    expect(body.spec.ports).toEqual([port('admin', 81)]);
  });

  it('shares a field with the same value, and conflicts about another one', async () => {
    await applyAs('one', gadget('a', { colour: 'red' }));
    const shared = await applyAs('two', gadget('a', { colour: 'red' }));
    expect(managersOf(shared.body)).toEqual(['one Apply', 'two Apply']);
    const conflict = await applyAs('two', gadget('a', { colour: 'blue' }));
    expect(conflict).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect(conflict.body.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.colour' },
    ]);
    const kept = await applyAs('one', gadget('a', {}));
    expect(kept.body.spec.colour).toBe('red');
  });

  it('that changes nothing keeps the version', async () => {
    const first = await applyAs('one', gadget('a', { colour: 'red' }));
    const second = await applyAs('one', gadget('a', { colour: 'red' }));
    expect(first.code).toBe(201);
    expect(second).toMatchObject({ code: 200, body: first.body });
  });

  it('has an entry of its own for the status', async () => {
    await applyAs('one', gadget('a', { colour: 'red' }));
    const status = { ...gadget('a'), status: { phase: 'Up' } };
    const { body } = await applyAs('controller', status, '/status');
    expect(managersOf(body).sort()).toEqual(['controller Apply status', 'one Apply']);
    const updated = await call('PATCH', `${gadgets}/a/status?fieldManager=other`, { status: { replicas: 3 } });
    expect(managersOf(updated.body).sort()).toEqual(['controller Apply status', 'one Apply', 'other Update status']);
  });

  it('forgets all managers after an update to [{}]', async () => {
    await applyAs('one', gadget('a', { colour: 'red' }));
    const reset = await call('PATCH', `${gadgets}/a`, { metadata: { managedFields: [{}] } });
    expect(reset.body.metadata).not.toHaveProperty('managedFields');
    expect((await applyAs('two', gadget('a', { colour: 'blue' }))).code).toBe(409);
  });

  it('takes over what a client-side apply of kubectl has set, and removes what it has removed since', async () => {
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const applied = gadget('a', { colour: 'red', options: { x: '1', y: '2' } });
    const annotations = { [key]: JSON.stringify(applied) };
    const query = '?fieldManager=kubectl-client-side-apply';
    await call('POST', `${gadgets}${query}`, { ...applied, metadata: { name: 'a', annotations } });
    const { code, body } = await applyAs('kubectl', gadget('a', { colour: 'red', options: { x: '1' } }));
    expect({ code, options: body.spec.options }).toEqual({ code: 200, options: { x: '1' } });
    expect(JSON.parse(body.metadata.annotations[key])).toMatchObject({ spec: { colour: 'red', options: { x: '1' } } });
    expect(managersOf(body)).toContain('kubectl Apply');
  });
});

describe('a watch', () => {
  it('reports a deletion at a version of its own', async () => {
    const { body } = await call('POST', gadgets, gadget('a'));
    const from = body.metadata.resourceVersion;
    const lines = running.watch(`${gadgets}?watch=1&resourceVersion=${from}`, 1);
    await call('DELETE', `${gadgets}/a`);
    const [line] = await lines;
    expect(line?.type).toBe('DELETED');
    expect(Number(line?.object.metadata.resourceVersion)).toBeGreaterThan(Number(from));
    const { body: list } = await call('GET', gadgets);
    expect(line?.object.metadata.resourceVersion).toBe(list.metadata.resourceVersion);
  });
});

describe('a list', () => {
  it.each([
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422],
    ['resourceVersion=1&resourceVersionMatch=Newest', 422],
    ['sendInitialEvents=true', 422],
    ['watch=1&resourceVersionMatch=NotOlderThan', 422],
    ['watch=1&sendInitialEvents=true', 422],
    ['limit=many', 400],
    ['labelSelector=%3D', 400],
    ['fieldSelector=spec.nothing%3D1', 400],
    ['resourceVersion=99999&resourceVersionMatch=Exact', 504],
    ['resourceVersion=99999&resourceVersionMatch=NotOlderThan', 504],
  ])('with the options %s is answered with %i', async (query, code) => {
    const answer = await call('GET', `${gadgets}?${query}`);
    expect(answer).toMatchObject({ code, body: { kind: 'Status', status: 'Failure' } });
  });

  it('of events selects by their object, reason and source', async () => {
    const event = (name: string, object: string, reason: string, component: string) => ({
      metadata: { name },
      involvedObject: { apiVersion: 'example.io/v1', kind: 'Gadget', namespace: 'default', name: object, uid: object },
      reason,
      type: 'Normal',
      source: { component },
    });
    await call('POST', core('events'), event('one', 'a', 'Started', 'kubelet'));
    await call('POST', core('events'), event('two', 'b', 'Started', 'operator'));
    await call('POST', core('events'), event('three', 'b', 'Failed', 'operator'));
    const named = async (selector: string) => {
      const { body } = await call('GET', `${core('events')}?fieldSelector=${encodeURIComponent(selector)}`);
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort();
    };
    expect(await named('involvedObject.name=b,involvedObject.kind=Gadget')).toEqual(['three', 'two']);
    expect(await named('involvedObject.uid=a,involvedObject.namespace=default')).toEqual(['one']);
    expect(await named('reason=Started,source=operator')).toEqual(['two']);
    expect(await named('reason!=Started')).toEqual(['three']);
  });
});

describe('a body', () => {
  const text = `{"apiVersion":"example.io/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"replicas":1,"replicas":2}}`;

  it('with a field twice is rejected, reported or accepted, as the client asks for', async () => {
    expect(await call('POST', `${gadgets}?fieldValidation=Strict`, text)).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('duplicate field "spec.replicas"') },
    });
    const warned = await call('POST', gadgets, text);
    expect(warned).toMatchObject({ code: 201, body: { spec: { replicas: 2 } } });
    expect(warned.headers['warning']).toContain('duplicate field');
  });

  it('with an integer above 2^53 is rejected rather than changed', async () => {
    expect(
      (await call('POST', gadgets, text.replace('"replicas":1,"replicas":2', '"replicas":9007199254740993'))).code,
    ).toBe(400);
  });

  it('keeps the microseconds of a lease', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.123456Z' };
    await call('POST', leases, { metadata: { name: 'l' }, spec });
    expect((await call('GET', `${leases}/l`)).body.spec).toEqual(spec);
  });

  it.each([
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a name in upper case', { name: 'Web' }],
    ['a label that is too long', { name: 'a', labels: { x: 'y'.repeat(64) } }],
    ['annotations of more than 256 KiB', { name: 'a', annotations: { x: 'y'.repeat(256 * 1024) } }],
  ])('with %s is rejected with 422', async (_, metadata) => {
    const answer = await call('POST', gadgets, { ...gadget(''), metadata });
    expect(answer).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(answer.body.details.causes[0].field).toMatch(/^metadata\./);
  });
});

describe('a namespace that is being deleted', () => {
  it('takes no new object by create or apply, but changes of those in it', async () => {
    const inOther = '/apis/example.io/v1/namespaces/other/gadgets';
    const apply = (name: string, spec: object) =>
      call('PATCH', `${inOther}/${name}?fieldManager=one`, JSON.stringify(gadget(name, spec)), {
        'Content-Type': 'application/apply-patch+yaml',
      });
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    await call('POST', inOther, gadget('a', {}, { finalizers: ['example.io/wait'] }));
    await call('DELETE', '/api/v1/namespaces/other');
    const terminating = {
      code: 403,
      body: {
        reason: 'Forbidden',
        details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
      },
    };
    expect(await call('POST', inOther, gadget('b'))).toMatchObject(terminating);
    expect(await apply('b', {})).toMatchObject(terminating);
    expect(await apply('a', { colour: 'red' })).toMatchObject({ code: 200, body: { spec: { colour: 'red' } } });
    expect((await call('PATCH', `${inOther}/a`, { metadata: { finalizers: null } })).code).toBe(200);
  });
});
