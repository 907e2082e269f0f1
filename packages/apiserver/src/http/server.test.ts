/** The verbs over a real connection, as clients of Kubernetes send them. */
import { systemClock } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningServer, startServer } from './server.kit.ts';

const gadgets = '/apis/example.io/v1/namespaces/default/gadgets';
const gadget = (name: string, spec: object = {}) => ({
  apiVersion: 'example.io/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
});

let running: RunningServer;
beforeEach(async () => {
  running = await startServer();
});
afterEach(() => running.close());

const call: RunningServer['call'] = (...request) => running.call(...request);

describe('create and get', () => {
  it('stores an object with its defaults and returns it', async () => {
    const created = await call('POST', gadgets, gadget('a', { colour: 'red' }));
    expect(created).toMatchObject({ code: 201, body: { spec: { replicas: 1, colour: 'red' } } });
    const read = await call('GET', `${gadgets}/a`);
    expect(read).toMatchObject({ code: 200, body: created.body });
  });

  it('completes a generated name', async () => {
    const object = { ...gadget(''), metadata: { generateName: 'g-' } };
    const { code, body } = await call('POST', gadgets, object);
    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^g-[a-z0-9]{5}$/);
  });

  it('answers with a Status and the reasons of Kubernetes', async () => {
    await call('POST', gadgets, gadget('a'));
    expect(await call('POST', gadgets, gadget('a'))).toMatchObject({
      code: 409,
      body: { kind: 'Status', reason: 'AlreadyExists', message: 'gadgets.example.io "a" already exists' },
    });
    expect(await call('GET', `${gadgets}/b`)).toMatchObject({
      code: 404,
      body: {
        reason: 'NotFound',
        message: 'gadgets.example.io "b" not found',
        details: { name: 'b', kind: 'gadgets' },
      },
    });
    const invalid = await call('POST', gadgets, gadget('c', { replicas: 101 }));
    expect(invalid).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(invalid.body.details.causes).toEqual([
      expect.objectContaining({ field: 'spec.replicas', reason: 'FieldValueInvalid' }),
    ]);
    expect((await call('GET', '/apis/example.io/v1/namespaces/default/things')).code).toBe(404);
  });

  it.each(['data', 'stringData'])('does not repeat a Secret whose %s is text in the error', async (field) => {
    const secret = { metadata: { name: 'a' }, [field]: 'hunter2' };
    const refused = await call('POST', '/api/v1/namespaces/default/secrets', secret);
    expect(refused).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(refused.text).toContain(field);
    expect(refused.text).not.toContain('hunter2');
  });

  it('rejects an object of another namespace, name or kind than the URL', async () => {
    const elsewhere = { ...gadget('a'), metadata: { name: 'a', namespace: 'other' } };
    expect((await call('POST', gadgets, elsewhere)).code).toBe(400);
    expect((await call('POST', gadgets, { ...gadget('a'), kind: 'Widget' })).code).toBe(400);
    await call('POST', gadgets, gadget('a'));
    expect((await call('PUT', `${gadgets}/a`, gadget('b'))).code).toBe(400);
  });

  it('reports unknown fields as the client asks for', async () => {
    const odd = gadget('a', { replica: 2 });
    const strict = await call('POST', `${gadgets}?fieldValidation=Strict`, odd);
    expect(strict).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('unknown field "spec.replica"') },
    });
    const warned = await call('POST', gadgets, odd);
    expect(warned.code).toBe(201);
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"spec.replica\\""');
    const ignored = await call('POST', `${gadgets}?fieldValidation=Ignore`, gadget('b', { replica: 2 }));
    expect(ignored.headers).not.toHaveProperty('warning');
  });

  it('writes nothing in a dry run', async () => {
    expect((await call('POST', `${gadgets}?dryRun=All`, gadget('a'))).code).toBe(201);
    expect((await call('GET', `${gadgets}/a`)).code).toBe(404);
  });
});

describe('update', () => {
  it('needs the version that was read for custom kinds, not for core kinds', async () => {
    const { body } = await call('POST', gadgets, gadget('a'));
    expect((await call('PUT', `${gadgets}/a`, gadget('a', { replicas: 2 }))).code).toBe(422);
    const changed = await call('PUT', `${gadgets}/a`, { ...body, spec: { replicas: 2 } });
    expect(changed).toMatchObject({ code: 200, body: { metadata: { generation: 2 }, spec: { replicas: 2 } } });
    expect(await call('PUT', `${gadgets}/a`, body)).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    const maps = '/api/v1/namespaces/default/configmaps';
    await call('POST', maps, { metadata: { name: 'm' }, data: { a: '1' } });
    expect(await call('PUT', `${maps}/m`, { metadata: { name: 'm' }, data: { b: '2' } })).toMatchObject({
      code: 200,
      body: { data: { b: '2' } },
    });
  });

  it('of the status changes nothing else, and of the object not the status', async () => {
    const { body } = await call('POST', gadgets, gadget('a'));
    const status = {
      ...body,
      metadata: { ...body.metadata, labels: { x: 'y' } },
      spec: { replicas: 7 },
      status: { phase: 'Up' },
    };
    const changed = await call('PUT', `${gadgets}/a/status`, status);
    expect(changed).toMatchObject({ code: 200, body: { spec: { replicas: 1 }, status: { phase: 'Up' } } });
    expect(changed.body.metadata).not.toHaveProperty('labels');
    const other = await call('PUT', `${gadgets}/a`, { ...changed.body, status: { phase: 'Down' } });
    expect(other.body.status).toEqual({ phase: 'Up' });
  });

  it('of the status is refused with another version or uid than that of the object', async () => {
    const { body } = await call('POST', gadgets, gadget('a'));
    const status = { ...body, status: { phase: 'Up' } };
    await call('PATCH', `${gadgets}/a`, { spec: { replicas: 2 } });
    expect(await call('PUT', `${gadgets}/a/status`, status)).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    const { resourceVersion, ...unversioned } = body.metadata;
    const foreign = { ...status, metadata: { ...unversioned, uid: 'other' } };
    expect((await call('PUT', `${gadgets}/a/status`, foreign)).code).toBe(409);
    expect((await call('GET', `${gadgets}/a`)).body).not.toHaveProperty('status');
    expect((await call('PUT', `${gadgets}/a/status`, { ...status, metadata: unversioned })).code).toBe(200);
  });
});

describe('patch', () => {
  beforeEach(async () => {
    await call('POST', gadgets, gadget('a', { ports: [{ name: 'http', port: 80 }] }));
  });

  it('merges, also into the status', async () => {
    expect(await call('PATCH', `${gadgets}/a`, { spec: { colour: 'red' } })).toMatchObject({
      code: 200,
      body: { spec: { replicas: 1, colour: 'red' } },
    });
    expect(await call('PATCH', `${gadgets}/a/status`, { status: { phase: 'Up' } })).toMatchObject({
      body: { status: { phase: 'Up' } },
    });
  });

  it('applies JSON patches', async () => {
    const type = { 'Content-Type': 'application/json-patch+json' };
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 3 }];
    expect(await call('PATCH', `${gadgets}/a`, replace, type)).toMatchObject({
      code: 200,
      body: { spec: { replicas: 3 } },
    });
    const failing = [{ op: 'test', path: '/spec/replicas', value: 1 }];
    expect((await call('PATCH', `${gadgets}/a`, failing, type)).code).toBe(422);
  });

  it('refuses strategic merge for custom kinds and performs it for core kinds', async () => {
    const type = { 'Content-Type': 'application/strategic-merge-patch+json' };
    expect((await call('PATCH', `${gadgets}/a`, { spec: {} }, type)).code).toBe(415);
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' }, data: { a: '1' } });
    const merged = await call('PATCH', '/api/v1/namespaces/default/configmaps/m', { data: { a: null, b: '2' } }, type);
    expect(merged.body.data).toEqual({ b: '2' });
  });

  it('has a version in the patch as precondition', async () => {
    const stale = { metadata: { resourceVersion: '1' }, spec: { replicas: 9 } };
    await call('PATCH', `${gadgets}/a`, { spec: { replicas: 2 } });
    expect((await call('PATCH', `${gadgets}/a`, stale)).code).toBe(409);
  });

  it('loses no concurrent patch', async () => {
    const patches = Array.from({ length: 20 }, (_, n) =>
      call('PATCH', `${gadgets}/a`, { spec: { options: { [`k${n}`]: 'v' } } }),
    );
    const codes = (await Promise.all(patches)).map(({ code }) => code);
    const { body } = await call('GET', `${gadgets}/a`);
    expect(Object.keys(body.spec.options)).toHaveLength(codes.filter((code) => code === 200).length);
  });
});

describe('scale', () => {
  it('reads and writes the replicas', async () => {
    await call('POST', gadgets, gadget('a'));
    expect(await call('GET', `${gadgets}/a/scale`)).toMatchObject({ body: { kind: 'Scale', spec: { replicas: 1 } } });
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 5 } };
    expect(await call('PUT', `${gadgets}/a/scale`, scale)).toMatchObject({
      code: 200,
      body: { spec: { replicas: 5 } },
    });
    expect(await call('PATCH', `${gadgets}/a/scale`, { spec: { replicas: 2 } })).toMatchObject({ code: 200 });
    expect((await call('GET', `${gadgets}/a`)).body.spec.replicas).toBe(2);
    expect((await call('PATCH', `${gadgets}/a/scale`, { spec: { replicas: 500 } })).code).toBe(422);
    const stale = { ...scale, metadata: { name: 'a', resourceVersion: '1' } };
    expect((await call('PUT', `${gadgets}/a/scale`, stale)).code).toBe(409);
  });
});

describe('delete', () => {
  it('answers with a Status, or with the object that waits for its finalizers', async () => {
    await call('POST', gadgets, gadget('a'));
    expect(await call('DELETE', `${gadgets}/a`)).toMatchObject({
      code: 200,
      body: { kind: 'Status', status: 'Success' },
    });
    expect((await call('DELETE', `${gadgets}/a`)).code).toBe(404);
    await call('POST', gadgets, { ...gadget('b'), metadata: { name: 'b', finalizers: ['example.io/wait'] } });
    const waiting = await call('DELETE', `${gadgets}/b`);
    expect(waiting.body).toMatchObject({ kind: 'Gadget', metadata: { deletionTimestamp: expect.any(String) } });
  });

  it('honours the preconditions and the dry run in its body', async () => {
    await call('POST', gadgets, gadget('a'));
    expect((await call('DELETE', `${gadgets}/a`, { preconditions: { uid: 'other' } })).code).toBe(409);
    expect((await call('DELETE', `${gadgets}/a`, { dryRun: ['All'] })).code).toBe(200);
    expect((await call('GET', `${gadgets}/a`)).code).toBe(200);
  });

  it('of a collection keeps an object that was created again after the list', async () => {
    for (const name of ['a', 'b']) await call('POST', gadgets, gadget(name));
    const { store } = running.registry;
    const list = store.list.bind(store);
    const recreated = vi.spyOn(store, 'list').mockImplementationOnce(async (...options) => {
      const page = await list(...options);
      await store.commit([{ type: 'delete', key: 'example.io/v1/gadgets/default/a' }]);
      await call('POST', gadgets, gadget('a', { colour: 'new' }));
      return page;
    });
    expect((await call('DELETE', gadgets)).code).toBe(200);
    expect(recreated).toHaveBeenCalled();
    const { body } = await call('GET', gadgets);
    expect(body.items).toMatchObject([{ metadata: { name: 'a' }, spec: { colour: 'new' } }]);
  });

  it('waits for the garbage collector with the policies Orphan and Foreground', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await call('POST', gadgets, gadget(name));
    const foreground = await call('DELETE', `${gadgets}/a`, { propagationPolicy: 'Foreground' });
    expect(foreground).toMatchObject({ code: 202, body: { metadata: { finalizers: ['foregroundDeletion'] } } });
    const orphan = await call('DELETE', `${gadgets}/b?propagationPolicy=Orphan`);
    expect(orphan).toMatchObject({ code: 200, body: { metadata: { finalizers: ['orphan'] } } });
    const older = await call('DELETE', `${gadgets}/c`, { orphanDependents: true });
    expect(older).toMatchObject({ code: 200, body: { metadata: { finalizers: ['orphan'] } } });
    expect(await call('DELETE', `${gadgets}/d`, { orphanDependents: false })).toMatchObject({
      code: 200,
      body: { kind: 'Status', status: 'Success' },
    });
    expect((await call('DELETE', `${gadgets}/a`, { propagationPolicy: 'Background' })).body.kind).toBe('Status');
    await call('DELETE', gadgets, { propagationPolicy: 'Foreground' });
    const { body } = await call('GET', gadgets);
    expect(body.items.map(({ metadata }: { metadata: object }) => metadata)).toMatchObject([
      { name: 'b', finalizers: ['foregroundDeletion'] },
      { name: 'c', finalizers: ['foregroundDeletion'] },
    ]);
  });

  it('raises the generation of an object that waits, and then takes no new finalizer', async () => {
    const finalizers = ['example.io/wait'];
    await call('POST', gadgets, { ...gadget('a'), metadata: { name: 'a', finalizers } });
    expect((await call('DELETE', `${gadgets}/a`)).body.metadata.generation).toBe(2);
    const added = { metadata: { finalizers: [...finalizers, 'example.io/more'] } };
    expect(await call('PATCH', `${gadgets}/a`, added)).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect((await call('PATCH', `${gadgets}/a`, { metadata: { finalizers: null } })).code).toBe(200);
    expect((await call('GET', `${gadgets}/a`)).code).toBe(404);
  });

  it('of a collection deletes what is selected', async () => {
    for (const [name, app] of Object.entries({ a: 'x', b: 'x', c: 'y' })) {
      await call('POST', gadgets, { ...gadget(name), metadata: { name, labels: { app } } });
    }
    await call('DELETE', `${gadgets}?labelSelector=app%3Dx`);
    const { body } = await call('GET', gadgets);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['c']);
  });
});

describe('a request that names no namespace', () => {
  const everywhere = '/apis/example.io/v1/gadgets';
  const named = `${everywhere}/a`;

  it.each([
    ['POST', everywhere, 405],
    ['DELETE', everywhere, 405],
    ['PATCH', everywhere, 405],
    ['PUT', gadgets, 405],
    ['PATCH', gadgets, 405],
    ['GET', named, 404],
    ['PUT', named, 404],
    ['PATCH', named, 404],
    ['DELETE', named, 404],
    ['GET', `${named}/scale`, 404],
  ])('or no object, %s %s, affects none: %i', async (method, path, code) => {
    await call('POST', gadgets, gadget('a'));
    const body = { POST: gadget('b'), PUT: gadget('a', { replicas: 7 }), PATCH: { spec: { replicas: 7 } } }[method];
    expect((await call(method, path, body)).code).toBe(code);
    expect((await call('GET', everywhere)).body.items).toMatchObject([{ metadata: { name: 'a', generation: 1 } }]);
  });
});

describe('list', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) await call('POST', gadgets, gadget(name));
  });

  it('has one version on every page', async () => {
    const first = await call('GET', `${gadgets}?limit=2`);
    await call('POST', gadgets, gadget('d'));
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await call('GET', `${gadgets}?limit=2&continue=${token}`);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(second.body.items).toHaveLength(1);
    expect(second.body.metadata).not.toHaveProperty('continue');
  });

  it('reads an exact version, and refuses one that does not exist yet with 504', async () => {
    const { body } = await call('GET', gadgets);
    const { resourceVersion } = body.metadata;
    await call('DELETE', `${gadgets}/a`);
    const exact = await call('GET', `${gadgets}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(exact.body.items).toHaveLength(3);
    expect((await call('GET', `${gadgets}?resourceVersion=999999`)).code).toBe(504);
  });

  it.each([gadgets, `${gadgets}/a`])('rejects a version that is not one: %s', async (path) => {
    expect((await call('GET', `${path}?resourceVersion=abc`)).code).toBe(400);
    expect((await call('GET', `${path}?resourceVersion=-1`)).code).toBe(400);
    expect((await call('GET', `${path}?resourceVersion=`)).code).toBe(200);
    expect((await call('GET', `${path}?resourceVersion=0`)).code).toBe(200);
  });

  it('returns tables and metadata on request', async () => {
    const table = await call('GET', gadgets, undefined, { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(table.body.rows[0].cells.slice(0, 2)).toEqual(['a', '1']);
    const partial = await call('GET', gadgets, undefined, {
      Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(partial.body.items[0]).not.toHaveProperty('spec');
    expect((await call('GET', gadgets, undefined, { Accept: 'application/vnd.kubernetes.protobuf' })).code).toBe(406);
  });

  it('compresses large responses', async () => {
    const data = { big: 'x'.repeat(200_000) };
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' }, data });
    const { headers } = await call('GET', '/api/v1/configmaps', undefined, { 'Accept-Encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
  });

  it('sends large responses as they are, whatever their objects are divided into', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    // More than a piece, a piece with the rest of it, and small ones.
    for (const [n, length] of [150_000, 90_000, 20_000, 1, 70_000].entries()) {
      await call('POST', maps, { metadata: { name: `m-${n}` }, data: { big: `${n}`.padEnd(length, 'ä') } });
    }
    const { body, headers } = await call('GET', maps);
    expect(Number(headers['content-length'])).toBeGreaterThan(660_000);
    const one = (index: number) => call('GET', `${maps}/m-${index}`);
    expect(body.items).toEqual((await Promise.all([0, 1, 2, 3, 4].map(one))).map((answer) => answer.body));
  });
});

describe('watch', () => {
  it('continues after a list, and delivers what starts and ceases to match a selector', async () => {
    const { body } = await call('GET', gadgets);
    const lines = running.watch(
      `${gadgets}?watch=1&labelSelector=on&resourceVersion=${body.metadata.resourceVersion || 0}`,
      3,
    );
    await call('POST', gadgets, { ...gadget('a'), metadata: { name: 'a', labels: { on: '1' } } });
    await call('PATCH', `${gadgets}/a`, { spec: { replicas: 2 } });
    const { body: last } = await call('PATCH', `${gadgets}/a`, { metadata: { labels: { on: null } } });
    const found = await lines;
    expect(found.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(found[2]?.object.metadata.resourceVersion).toBe(last.metadata.resourceVersion);
  });

  it('misses nothing after the list of an empty registry', async () => {
    const { body } = await call('GET', gadgets);
    await call('POST', gadgets, gadget('a'));
    const lines = running.watch(`${gadgets}?watch=1&resourceVersion=${body.metadata.resourceVersion}`, 3);
    await call('POST', gadgets, gadget('b'));
    await call('DELETE', `${gadgets}/b`);
    const found = (await lines).map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(found.slice(0, 1)).toEqual(['ADDED a']);
    expect(found.slice(-1)).toEqual(['DELETED b']);
  });

  it('sends initial events and the bookmark at their end', async () => {
    await call('POST', gadgets, gadget('a'));
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const lines = await running.watch(`${gadgets}?${query}`, 2);
    expect(lines.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(lines[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('reports a compacted version as 410', async () => {
    for (const name of ['a', 'b', 'c']) await call('POST', gadgets, gadget(name));
    await running.registry.capabilities.history?.compact('3');
    const [line] = await running.watch(`${gadgets}?watch=1&resourceVersion=1`, 1);
    expect(line).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
  });

  it.each(['1000', '99999999999999999999'])(
    'reports the version %s after the newest one as 410: the registry was restored or replaced',
    async (version) => {
      await call('POST', gadgets, gadget('a'));
      const [line] = await running.watch(`${gadgets}?watch=1&resourceVersion=${version}`, 1);
      expect(line).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    },
  );

  it('sends the columns of a table with the first event only', async () => {
    for (const name of ['a', 'b']) await call('POST', gadgets, gadget(name));
    const asTable = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const [first, second] = await running.watch(`${gadgets}?watch=1&resourceVersion=0`, 2, asTable);
    expect(first?.object.columnDefinitions).not.toEqual([]);
    expect(second?.object).toMatchObject({ kind: 'Table', rows: [{ cells: expect.anything() }] });
    expect(second?.object.columnDefinitions ?? []).toEqual([]);
  });

  it('shows ages in a table at the time of the event, not of its own start', async () => {
    const hourMs = 3_600_000;
    const { body } = await call('POST', gadgets, gadget('old'));
    const asTable = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const lines = running.watch(`${gadgets}?watch=1&resourceVersion=${body.metadata.resourceVersion}`, 2, asTable);
    await expect.poll(() => running.server.watches).toBe(1);
    const now = vi.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + hourMs);
    onTestFinished(() => now.mockRestore());
    await call('POST', gadgets, gadget('new'));
    await call('PATCH', `${gadgets}/old`, { spec: { replicas: 2 } });
    const [created, changed] = (await lines).map(({ object }) => object.rows[0].cells);
    expect({ created, changed }).toEqual({
      created: expect.arrayContaining(['new', '0s']),
      changed: expect.arrayContaining(['old', '60m']),
    });
  });

  it('ends after timeoutSeconds', async () => {
    expect(await running.watch(`${gadgets}?watch=1&timeoutSeconds=1`, 1)).toEqual([]);
  });

  it('is released when its client disconnects', async () => {
    await call('POST', gadgets, gadget('a'));
    expect(running.server.watches).toBe(0);
    const lines = running.watch(`${gadgets}?watch=1&resourceVersion=0`, 1);
    expect(await lines).toHaveLength(1);
    await expect.poll(() => running.server.watches).toBe(0);
  });
});

describe('namespaces', () => {
  it('have to exist before objects are created in them', async () => {
    const other = '/apis/example.io/v1/namespaces/other/gadgets';
    expect(await call('POST', other, gadget('a'))).toMatchObject({
      code: 404,
      body: { message: 'namespaces "other" not found' },
    });
    expect((await call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } })).code).toBe(201);
    expect((await call('POST', other, gadget('a'))).code).toBe(201);
  });

  it('accept no new objects while they are being deleted', async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    expect((await call('DELETE', '/api/v1/namespaces/other')).body.metadata.deletionTimestamp).toBeDefined();
    const refused = await call('POST', '/apis/example.io/v1/namespaces/other/gadgets', gadget('a'));
    expect(refused).toMatchObject({
      code: 403,
      body: {
        message: expect.stringContaining('gadgets.example.io "a" is forbidden'),
        details: { causes: [{ reason: 'NamespaceTerminating' }] },
      },
    });
  });

  it('have their name as a label, which cannot be removed', async () => {
    const label = { 'kubernetes.io/metadata.name': 'other' };
    const created = await call('POST', '/api/v1/namespaces', { metadata: { name: 'other', labels: { a: 'b' } } });
    expect(created.body.metadata.labels).toEqual({ a: 'b', ...label });
    const patched = await call('PATCH', '/api/v1/namespaces/other', { metadata: { labels: null } });
    expect(patched.body.metadata.labels).toEqual(label);
  });

  it('are deleted one by one, and the default one never', async () => {
    for (const name of ['default', 'other']) await call('POST', '/api/v1/namespaces', { metadata: { name } });
    expect(await call('DELETE', '/api/v1/namespaces/default')).toMatchObject({
      code: 403,
      body: { reason: 'Forbidden', message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
    });
    expect((await call('DELETE', '/api/v1/namespaces')).code).toBe(405);
    const { body } = await call('GET', '/api/v1/namespaces');
    expect(body.items.map((item: { metadata: object }) => 'deletionTimestamp' in item.metadata)).toEqual([
      false,
      false,
    ]);
    const { resources } = (await call('GET', '/api/v1')).body;
    const { verbs } = resources.find(({ name }: { name: string }) => name === 'namespaces');
    expect(verbs).toEqual(['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']);
  });
});

describe('a secret', () => {
  it('is written as text and read in base64', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const { body } = await call('POST', secrets, { metadata: { name: 's' }, stringData: { password: 'abc' } });
    expect(body).toMatchObject({ type: 'Opaque', data: { password: 'YWJj' } });
    expect(body).not.toHaveProperty('stringData');
  });

  it.each([
    [{ stringData: { password: 1e5 } }],
    [{ stringData: { password: null } }],
    [{ stringData: { password: { a: 1 } } }],
    [{ stringData: ['abc'] }],
    [{ stringData: { password: 'abc' }, data: 'abc' }],
  ])('is not written with anything but text: %j', async (fields) => {
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await call('POST', secrets, { metadata: { name: 's' }, ...fields })).code).toBe(422);
    expect((await call('GET', `${secrets}/s`)).code).toBe(404);
  });

  it('keeps its type', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    await call('POST', secrets, { metadata: { name: 's' }, type: 'example.io/one' });
    expect(await call('PATCH', `${secrets}/s`, { type: 'example.io/other' })).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('type: Invalid value: "example.io/other": field is immutable') },
    });
  });
});

describe('a config map', () => {
  it('has every key once, as text or as bytes', async () => {
    const both = { metadata: { name: 'm' }, data: { a: 'x' }, binaryData: { a: 'eA==' } };
    expect(await call('POST', '/api/v1/namespaces/default/configmaps', both)).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('data[a]: Invalid value: "a": duplicate of key present in binaryData') },
    });
  });
});

describe('the server', () => {
  it('refuses bodies over the limit before it reads them, and malformed ones', async () => {
    const big = await call('POST', gadgets, gadget('a', { options: { x: 'y'.repeat(4 * 1024 * 1024) } }));
    expect(big).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } });
    expect((await call('POST', gadgets, '{')).code).toBe(400);
    expect((await call('POST', gadgets, '[]')).code).toBe(400);
    expect((await call('POST', gadgets, 'x', { 'Content-Type': 'text/plain' })).code).toBe(415);
  });

  it('serves health, version and discovery', async () => {
    expect((await call('GET', '/readyz')).text).toBe('ok');
    expect((await call('GET', '/version')).body).toMatchObject({ major: expect.any(String) });
    const { body } = await call('GET', '/apis/example.io/v1');
    expect(body.resources.map(({ name }: { name: string }) => name)).toEqual([
      'gadgets',
      'gadgets/status',
      'gadgets/scale',
    ]);
    expect((await call('GET', '/openapi/v3')).body.paths).toHaveProperty(['apis/example.io/v1']);
  });

  it('lists the reviews that it answers', async () => {
    const names = async (group: string) =>
      (await call('GET', `/apis/${group}/v1`)).body.resources.map(({ name }: { name: string }) => name);
    expect(await names('authentication.k8s.io')).toEqual(['selfsubjectreviews', 'tokenreviews']);
    expect(await names('authorization.k8s.io')).toContain('selfsubjectaccessreviews');
    expect((await call('GET', '/openapi/v3')).body.paths).toHaveProperty(['apis/authorization.k8s.io/v1']);
  });

  it('serves OpenAPI v2 without definitions, in protobuf only', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { code, headers, text } = await call('GET', '/openapi/v2', undefined, { Accept: accept });
    expect({ code, type: headers['content-type'], text }).toEqual({
      code: 200,
      type: accept.replace('@', '.'),
      text: '\n\x032.0\x12\x19\n\nKubernetes\x12\x0bunversioned',
    });
    expect((await call('GET', '/openapi/v2')).code).toBe(406);
  });
});
